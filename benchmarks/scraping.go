package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/metrics"
)

// scrapeEvery is much more often than Prometheus asks.
const scrapeEvery = 100 * time.Millisecond

// scrapingCases make the same ids with and without somebody who reads the metrics of all generators meanwhile: once at the
// start of each run, and then ten times a second.
func scrapingCases(ctx context.Context, ids *cosid.Runtime, g *segment.Generator) ([]*benchCase, error) {
	collector := metrics.NewCollector()
	collector.Watch(ids)
	registry := prometheus.NewRegistry()
	if err := registry.Register(collector); err != nil {
		return nil, err
	}
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	scrape := func() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
	}

	unscraped, scraped := segmentNext(ctx, g), segmentNext(ctx, g)
	unscraped.name, scraped.name = "cosid segment, not scraped", "cosid segment, scraped at 10 Hz"
	next := scraped.loop
	scraped.loop = func(n int) {
		done := make(chan struct{})
		var scraper sync.WaitGroup
		scraper.Go(func() {
			ticker := time.NewTicker(scrapeEvery)
			defer ticker.Stop()
			for {
				scrape()
				select {
				case <-ticker.C:
				case <-done:
					return
				}
			}
		})
		next(n)
		close(done)
		scraper.Wait()
	}
	return []*benchCase{unscraped, scraped}, nil
}
