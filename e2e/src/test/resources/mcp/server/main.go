// An MCP server over standard input and output, made with the official SDK: what the clients of the tests talk to.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type words struct {
	Text  string `json:"text,omitempty"`
	Steps int    `json:"steps,omitempty"`
}

func said(text string) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "probe", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "says the text"}, func(_ context.Context, _ *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		return said(w.Text)
	})
	mcp.AddTool(server, &mcp.Tool{Name: "where", Description: "says where it runs"}, func(context.Context, *mcp.CallToolRequest, words) (*mcp.CallToolResult, any, error) {
		folder, _ := os.Getwd()
		return said(fmt.Sprintf("%d %s %s", os.Getpid(), folder, os.Getenv("PROBE")))
	})
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "counts, with progress"}, func(ctx context.Context, r *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		for step := range w.Steps {
			if token := r.Params.GetProgressToken(); token != nil {
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step + 1), Total: float64(w.Steps)})
			}
		}
		return said(fmt.Sprint(w.Steps))
	})
	mcp.AddTool(server, &mcp.Tool{Name: "pause", Description: "says the text a little later"}, func(_ context.Context, _ *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		time.Sleep(300 * time.Millisecond)
		return said(w.Text)
	})
	mcp.AddTool(server, &mcp.Tool{Name: "wait", Description: "waits until it is cancelled"}, func(ctx context.Context, r *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		select {
		case <-ctx.Done():
			_ = os.WriteFile("/workspace/cancelled", []byte(w.Text), 0o644)
			return nil, nil, ctx.Err()
		case <-time.After(time.Hour):
			return said("an hour")
		}
	})
	mcp.AddTool(server, &mcp.Tool{Name: "end", Description: "ends the server"}, func(context.Context, *mcp.CallToolRequest, words) (*mcp.CallToolResult, any, error) {
		fmt.Fprintln(os.Stderr, "asked to end")
		os.Exit(5)
		return nil, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "ask", Description: "asks the client's model"}, func(ctx context.Context, r *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		answer, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: w.Text}}}})
		if err != nil {
			return nil, nil, err
		}
		return said(answer.Content.(*mcp.TextContent).Text)
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
