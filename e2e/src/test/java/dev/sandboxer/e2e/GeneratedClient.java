package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A client that the OpenAPI generator made of the served document, compiled with one program. */
record GeneratedClient(Path folder) {

  private static final Path GENERATOR = Path.of("target/tools/openapi-generator-cli.jar");
  private static final Path PROGRAMS = Path.of("src/test/resources/generated-client");

  /** Makes it of what the platform serves. */
  static GeneratedClient of(Api api, Path folder) throws IOException, InterruptedException {
    Path document = folder.resolve("openapi.json");
    Files.writeString(document, api.get("/v1/openapi?format=json").text());
    String made =
        Program.run(
            List.of(
                tool("java"),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                GENERATOR.toString(),
                "generate",
                "--input-spec",
                document.toString(),
                "--generator-name",
                "java",
                "--library",
                "native",
                "--output",
                folder.toString(),
                "--global-property",
                "apis=Sessions:Grants,models,supportingFiles,apiTests=false,modelTests=false",
                "--additional-properties",
                "openApiNullable=false,useJakartaEe=true"));
    assertThat(folder.resolve("src/main/java")).as(made).isDirectory();
    return new GeneratedClient(folder);
  }

  /** Compiles a program with what it uses of the client and runs it; what is printed. */
  String run(String program, String... words) throws IOException, InterruptedException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    String path = System.getProperty("java.class.path");
    var _ =
        Program.run(
            List.of(
                tool("javac"),
                "-nowarn",
                "-proc:none",
                "-cp",
                path,
                "-sourcepath",
                folder.resolve("src/main/java").toString(),
                "-d",
                classes.toString(),
                PROGRAMS.resolve(program + ".java").toString()));
    List<String> call =
        new ArrayList<>(List.of(tool("java"), "-cp", classes + File.pathSeparator + path, program));
    call.addAll(List.of(words));
    return Program.run(call);
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }
}
