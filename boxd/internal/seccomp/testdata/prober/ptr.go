package main

import "unsafe"

func ptr(text *byte) uintptr { return uintptr(unsafe.Pointer(text)) }
