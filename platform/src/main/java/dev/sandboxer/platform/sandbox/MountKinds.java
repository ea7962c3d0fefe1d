package dev.sandboxer.platform.sandbox;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.sandboxer.spi.Mount;

/** How stored JSON tells the kinds of mounts apart. */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Mount.HostFolder.class, name = "host_folder"),
  @JsonSubTypes.Type(value = Mount.Volume.class, name = "volume"),
  @JsonSubTypes.Type(value = Mount.Tmpfs.class, name = "tmpfs")
})
public interface MountKinds {}
