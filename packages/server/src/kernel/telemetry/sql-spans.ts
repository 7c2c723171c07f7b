/** Adds a span to each SQL statement of a traced request or step. Intercepts queries, so that nothing is added while tracing is off. */
import { SpanKind, SpanStatusCode, type Span, type Tracer } from '@opentelemetry/api';
import { interceptQueries } from '#db/connections.ts';
import { errorCode } from '#kernel/caught.ts';
import { activeParent } from './active-parent.ts';
import { operationOf, statementText } from './statement-text.ts';

const textOf = (first: unknown): string | undefined => {
  if (typeof first === 'string') return first;
  if (typeof first !== 'object' || first === null) return undefined;
  // Streams such as COPY and cursors return before the statement has ended.
  return 'text' in first && typeof first.text === 'string' && !('submit' in first) ? first.text : undefined;
};

const rowsOf = (result: unknown): number =>
  typeof result === 'object' && result !== null && 'rowCount' in result && typeof result.rowCount === 'number' ? result.rowCount : 0;

const end = (span: Span, error: unknown, result: unknown): void => {
  if (error === undefined || error === null) span.setAttribute('db.response.returned_rows', rowsOf(result));
  else {
    const code = errorCode(error) ?? 'error';
    span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code });
  }
  span.end();
};

/** Returns a function that removes the spans again. */
export const traceStatements = (tracer: Tracer): (() => void) =>
  interceptQueries(
    (original) =>
      function (...args) {
        const parent = activeParent();
        const sql = parent && textOf(args[0]);
        // The start of a transaction says nothing. Its commit may take long.
        if (sql === undefined || sql === 'begin') return original.apply(this, args);
        const text = statementText(sql);
        const span = tracer.startSpan(
          operationOf(text),
          {
            kind: SpanKind.CLIENT,
            attributes: { 'db.system.name': 'postgresql', 'db.namespace': this.database ?? '', 'db.query.text': text },
          },
          parent,
        );
        const done = args.at(-1);
        if (typeof done === 'function') {
          const answered = (error: unknown, result: unknown): void => {
            end(span, error, result);
            done(error, result);
          };
          return original.apply(this, [...args.slice(0, -1), answered]);
        }
        const answer = original.apply(this, args);
        if (answer instanceof Promise)
          answer.then(
            (result) => end(span, undefined, result),
            (error: unknown) => end(span, error, undefined),
          );
        return answer;
      },
  );
