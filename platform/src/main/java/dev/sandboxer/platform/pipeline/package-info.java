/**
 * Pipelines of chat platforms and agent hosts: what the boxes of their chats are made of, and the
 * skills that are mounted into each.
 */
@NullMarked
package dev.sandboxer.platform.pipeline;

import org.jspecify.annotations.NullMarked;
