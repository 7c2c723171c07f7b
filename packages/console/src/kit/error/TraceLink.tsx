/** A link to the page of an error's trace, for administrators of an installation that has such a page. Loaded with the first error. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { ArrowUpRight } from 'lucide-react';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useStore } from '#kit/state/store.ts';
import { mayOpenTraces } from './global-error.ts';

export default function TraceLink({ traceId }: { traceId: string }) {
  const url = runtimeConfig().tracing?.url;
  if (!useStore(mayOpenTraces) || url == null) return null;
  return (
    <LinkButton size="sm" href={url.replaceAll('{traceId}', traceId)} target="_blank" rel="noreferrer">
      Open trace <ArrowUpRight aria-hidden="true" />
    </LinkButton>
  );
}
