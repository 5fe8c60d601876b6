// Package metricsfx makes an fx application with a prometheus.Registerer in its container tell its metrics: of cosid, nothing
// else links Prometheus.
//
//	fx.New(fx.Provide(cosid.Module), metricsfx.Module, fx.Supply(fx.Annotate(registry, fx.As(new(prometheus.Registerer)))), …)
package metricsfx

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"

	"github.com/cosid-go/cosid/fxmodule"
	"github.com/cosid-go/cosid/metrics"
	"github.com/cosid-go/cosid/runtime"
)

// Module registers a *metrics.Collector while the application runs, if there is a prometheus.Registerer. Its hooks join
// those that the application supplies. It takes the Runtime, so the configuration is read in any case.
var Module = fx.Module("cosid.metrics",
	fx.Provide(metrics.NewCollector, fxmodule.AsHooks((*metrics.Collector).Hooks)),
	fx.Invoke(register),
)

type params struct {
	fx.In

	Lifecycle  fx.Lifecycle
	Collector  *metrics.Collector
	Runtime    *runtime.Runtime
	Registerer prometheus.Registerer `optional:"true"`
}

func register(p params) {
	p.Collector.Watch(p.Runtime)
	if p.Registerer == nil {
		return
	}
	p.Lifecycle.Append(fx.Hook{
		OnStart: func(context.Context) error {
			if err := p.Registerer.Register(p.Collector); err != nil {
				return fmt.Errorf("metricsfx: register the collector; a second application in one process needs a registry of "+
					"its own, or labels of its own through prometheus.WrapRegistererWith: %w", err)
			}
			return nil
		},
		OnStop: func(context.Context) error {
			p.Registerer.Unregister(p.Collector)
			return nil
		},
	})
}
