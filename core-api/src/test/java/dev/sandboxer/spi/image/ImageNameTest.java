package dev.sandboxer.spi.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageNameTest {

  private static final String DIGEST = "sha256:" + "a".repeat(64);

  @ParameterizedTest
  @CsvSource({
    "debian, docker.io/library/debian:latest",
    "docker.io/debian:13, docker.io/library/debian:13",
    "index.docker.io/team/app, docker.io/team/app:latest",
    "team/app:1, docker.io/team/app:1",
    "registry.example/app:1, registry.example/app:1",
    "localhost/app, localhost/app:latest",
    "h:5000/a/b__c/d-e:V_1.2, h:5000/a/b__c/d-e:V_1.2"
  })
  void aNameIsWhatAnEngineMeansByIt(String text, String full) {
    assertThat(ImageName.parse(text).full()).isEqualTo(full);
  }

  @Test
  void aDigestSaysWhatTheImageIsWhateverTheTag() {
    ImageName name = ImageName.parse("debian:13@" + DIGEST);
    assertThat(name.full()).isEqualTo("docker.io/library/debian@" + DIGEST);
    assertThat(name.tag()).isEmpty();
    assertThat(name.reference()).isEqualTo(DIGEST);
    assertThat(new ImagePattern("docker.io/library/debian:*").matches(name)).isFalse();
    assertThat(new ImagePattern("docker.io/library/debian@*").matches(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "UPPER",
        "a b",
        "x:",
        "x@sha256:12",
        "../x",
        "http://x/y",
        "-x",
        "x/../y",
        "A.b/c",
        "a.b:x/c",
        "a//b",
        "x@"
      })
  void whatIsNoNameIsRefused(String text) {
    assertThatThrownBy(() -> ImageName.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not an image name");
  }

  @ParameterizedTest
  @CsvSource({
    "*, debian, true",
    "docker.io/library/*, debian:13, true",
    "docker.io/library/*, team/app, false",
    "debian, debian, false",
    "registry.example/team/*, registry.example/teamx/a, false",
    "*/team/*:1, registry.example/team/a:1, true",
    "*/team/*:1, registry.example/team/a:2, false"
  })
  void patternsAreComparedWithWholeNames(String pattern, String image, boolean fits) {
    assertThat(new ImagePattern(pattern).matches(ImageName.parse(image))).isEqualTo(fits);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.example", "a.example:5000", "localhost", "10.0.0.1:5000"})
  void aLoginIsOfOneRegistryAndHidesThePassword(String registry) {
    RegistryLogin login = new RegistryLogin(registry, "robot", "hunter2");
    assertThat(login.toString()).contains(registry, "robot").doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "team", "https://a.example", "a.example/b", "A.example", "a.example:"})
  void aLoginIsOfNothingElse(String registry) {
    assertThatThrownBy(() -> new RegistryLogin(registry, "robot", "hunter2"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
