package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.AuthConfigurations;
import com.github.dockerjava.core.DockerClientConfig;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.core.SSLConfig;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * What docker-java wants to know. Its own settings class reads the environment and the home folder
 * of whoever started the platform; this one reads nothing.
 */
@SuppressWarnings({"NullAway", "deprecation"}) // docker-java wants null for what is not set
record ClientSettings(RemoteApiVersion version, ObjectMapper json) implements DockerClientConfig {

  /**
   * One for all clients: docker-java's default is a fresh one each, which learns all types anew.
   */
  @Override
  public ObjectMapper getObjectMapper() {
    return json;
  }

  @Override
  public URI getDockerHost() {
    return URI.create("unix:///of/our/own/transport");
  }

  @Override
  public RemoteApiVersion getApiVersion() {
    return version;
  }

  @Override
  public @Nullable String getRegistryUsername() {
    return null;
  }

  @Override
  public @Nullable String getRegistryPassword() {
    return null;
  }

  @Override
  public @Nullable String getRegistryEmail() {
    return null;
  }

  @Override
  public String getRegistryUrl() {
    return AuthConfig.DEFAULT_SERVER_ADDRESS;
  }

  @Override
  public @Nullable AuthConfig effectiveAuthConfig(String image) {
    return null;
  }

  @Override
  public AuthConfigurations getAuthConfigurations() {
    return new AuthConfigurations();
  }

  @Override
  public @Nullable SSLConfig getSSLConfig() {
    return null;
  }
}
