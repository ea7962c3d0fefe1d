module dev.sandboxer/fake-e2b

go 1.26.0
