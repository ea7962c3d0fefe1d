package jail

import "io"

func probeVerb(args []string, _ io.Reader, out io.Writer) error { return nil }
