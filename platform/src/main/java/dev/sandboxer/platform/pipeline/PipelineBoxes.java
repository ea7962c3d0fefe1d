package dev.sandboxer.platform.pipeline;

import dev.sandboxer.platform.box.KeptBoxes;
import jakarta.enterprise.context.ApplicationScoped;

/** The box of a pipeline's MCP servers stays while there is the pipeline. */
@ApplicationScoped
class PipelineBoxes implements KeptBoxes {

  @Override
  public String keeps() {
    return """
    exists (select 1 from pipeline p
      where p.tenant_id = b.tenant_id and b.scope_name = '=%s' || p.id)
    """
        .formatted(Pipeline.MCP_BOX);
  }
}
