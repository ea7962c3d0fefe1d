// Package images keeps the root file systems of images for jails, on the host's side: it fetches them from a registry
// or takes them from a folder of the operator, verifies and unpacks them into folders that jails share, and removes
// what nobody used for long.
package images
