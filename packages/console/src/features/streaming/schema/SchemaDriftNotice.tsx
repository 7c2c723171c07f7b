/** Shows differences between the registry and the saved schema, and repairs them. */
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { schemaDriftView, schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import type { TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { sayEnd } from '#features/streaming/run-follower.ts';
import { useEngineQuery, type SchemaPlace } from '#features/streaming/use-place.ts';

/** Describes a difference and the effect of a repair. If a foreign version was registered on top of ours, it stays. */
const sentenceOf = ({ kind, ours, theirs, canRepair }: TopicDifference): { is: string; becomes?: string } => {
  if (kind === 'LEVEL')
    return { is: `It checks new versions by ${theirs}, not by ${ours}.`, becomes: `New versions are checked by ${ours}` };
  if (theirs === null) return { is: 'Its subject is not there.', becomes: 'The newest version is registered again' };
  if (canRepair)
    return { is: `Its newest version, ${theirs}, has another content.`, becomes: `Our content is registered above version ${theirs}` };
  return { is: `Somebody registered version ${theirs} by themselves. It stays: save the schema again to make yours the newest.` };
};

export function SchemaDriftNotice({ place, schema, team }: { place: SchemaPlace; schema: Schema; team: string }) {
  const hasDrift = schema.drift !== null && schema.drift.count > 0;
  const drift = useEngineQuery(place, schemaDriftView, hasDrift && { params: { ...place } });
  const write = useWrite(schemaReconcile);
  const { differences = [], comparedAt = null, isStale = false } = drift.data ?? {};
  if (!hasDrift || differences.length === 0) return null;
  const sentences = differences.map(sentenceOf);
  const consequences = sentences.flatMap(({ becomes }) => becomes ?? []);
  const ask = (): void =>
    confirmAction({
      title: `Put ${schema.name} back?`,
      description: 'The registry gets what Slipway has.',
      consequences,
      confirmLabel: 'Put back',
      busyLabel: 'Starting',
      variant: 'primary',
      run: async () => {
        const run = runOf(await write.send({ params: { ...place } }));
        await refresh({ kind: 'schema', app: place.app, env: place.env });
        void sayEnd(run, { done: `${schema.name} and the registry match`, failed: `${schema.name} could not be made to match` });
      },
    });
  const reason = reasonOf(schema.can, 'reconcile', { team });
  return (
    <Notice
      tone="warn"
      actions={
        <Button
          size="sm"
          disabledReason={reason ?? (consequences.length === 0 ? 'Nothing of it can be put back' : undefined)}
          onClick={ask}
        >
          Put back
        </Button>
      }
    >
      <strong>The registry differs.</strong> {sentences.map(({ is }) => is).join(' ')}
      {comparedAt !== null && (
        <span className="quiet">
          {isStale ? ' Stale since ' : ' Compared '}
          <RelativeTime at={comparedAt} isShort />
        </span>
      )}
    </Notice>
  );
}
