package dev.sandboxer.tck;

/** The suite over the sample that is tried just now. Run by other tests alone. */
class SampleTck extends ExtensionTck {
  static final ScopedValue<Environment> TRIED = ScopedValue.newInstance();

  @Override
  protected Environment environment() {
    return TRIED.get();
  }
}
