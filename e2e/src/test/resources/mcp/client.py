"""Uses an MCP server with the official SDK and says what came of it, a line each."""
import asyncio
import os
import sys

from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
