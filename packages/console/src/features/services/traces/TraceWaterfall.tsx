/** One trace: a bar for each span on a common time axis. */
import { maxTraceSpans, serviceTraceView } from '@slipway/contract/service/traces.ts';
import { classNames } from '@slipway/ui/class-names.ts';
import { cssVars, percent } from '@slipway/ui/css-vars.ts';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { PanelBody } from '@slipway/ui/layout/Panel.tsx';
import { useQuery } from '#kit/api/query.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { milliseconds } from './milliseconds.ts';
import { spanTree, type TreeSpan } from './span-tree.ts';
import css from './ServiceTraces.module.css';

export function TraceWaterfall({ place: { app, env, service }, traceId }: { place: ServiceRef; traceId: string }) {
  const query = useQuery(serviceTraceView, { params: { app, env, service, traceId } });
  if (query.error && !query.data) return <ListError what="trace" query={query} />;
  const { spans = [], isCut = false } = query.data ?? {};
  const total = Math.max(0.001, ...spans.map(({ offsetMs, durationMs }) => offsetMs + durationMs));
  return (
    <PanelBody className="stack stack-12">
      <p className="dense quiet">
        Trace <code>{traceId}</code>
        {isCut && ` · the first ${maxTraceSpans} spans`}
      </p>
      {query.data ? (
        <ol className={css.spans} aria-label="Spans of the trace">
          {spanTree(spans).map((one) => (
            <Span key={`${one.span.service} ${one.span.id}`} {...one} total={total} service={service} />
          ))}
        </ol>
      ) : (
        <Skeleton />
      )}
    </PanelBody>
  );
}

function Span({ span, depth, total, service }: TreeSpan & { total: number; service: string }) {
  const attributes = Object.entries(span.attributes);
  return (
    <li className={classNames(css.span, span.isError && css.failed)}>
      <span className={css.label} style={cssVars({ '--depth': String(depth) })}>
        <code>{span.name}</code>
        {span.service !== service && <span className="quiet"> {span.service}</span>}
      </span>
      <span
        className={css.track}
        style={cssVars({ '--from': percent(Math.min(1, span.offsetMs / total)), '--width': percent(Math.min(1, span.durationMs / total)) })}
        aria-hidden="true"
      >
        <i />
      </span>
      <span className="num">{milliseconds(span.durationMs)}</span>
      {span.isError && <span className={css.message}>Failed{span.message && `: ${span.message}`}</span>}
      {attributes.length > 0 && (
        <details className={css.attributes}>
          <summary className="quiet">Attributes</summary>
          {attributes.map(([name, value]) => (
            <div key={name}>
              <code>
                {name}={String(value)}
              </code>
            </div>
          ))}
        </details>
      )}
    </li>
  );
}
