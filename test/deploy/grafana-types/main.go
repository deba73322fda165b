// Checks the JSON of a dashboard on standard input against the types that Grafana publishes: prints each unknown field, each
// missing one and each value that is not allowed, and exits with 1 if there is one.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	if problems := check(); problems != "" {
		fmt.Println(problems)
		os.Exit(1)
	}
}

func check() string {
	plugins.RegisterDefaultPlugins()
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err.Error()
	}
	var read dashboard.Dashboard
	if problems := textOf(read.UnmarshalJSONStrict(text)); problems != "" {
		return problems
	}
	return textOf(read.Validate())
}

// Without a problem, both return an empty list as error, which is not nil.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
