/**
 * A link from an error to its trace, for administrators: to the installation's page of traces, or else to the entries of the audit log that
 * belong to the trace. Loaded with the first error.
 */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { ArrowUpRight } from 'lucide-react';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useStore } from '#kit/state/store.ts';
import { mayOpenTraces } from './global-error.ts';

export default function TraceLink({ traceId }: { traceId: string }) {
  const { tracing } = runtimeConfig();
  if (!useStore(mayOpenTraces) || !tracing) return null;
  if (tracing.url === null)
    return (
      <LinkButton size="sm" href={`/platform/audit?trace=${traceId}`}>
        Open audit log
      </LinkButton>
    );
  return (
    <LinkButton size="sm" href={tracing.url.replaceAll('{traceId}', traceId)} target="_blank" rel="noreferrer">
      Open trace <ArrowUpRight aria-hidden="true" />
    </LinkButton>
  );
}
