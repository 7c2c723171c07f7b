/** Shows differences between the registry and the saved schema, and repairs them. */
import { schemaDriftView, schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import type { TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import { DriftNotice } from '#entities/resource/DriftNotice.tsx';
import { useWrite } from '#kit/api/write.ts';
import { reasonOf } from '#kit/error/messages.ts';
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
  if (!hasDrift || !drift.data) return null;
  const { differences, comparedAt, isStale } = drift.data;
  const sentences = differences.map(sentenceOf);
  return (
    <DriftNotice
      name={schema.name}
      engine="registry"
      sentences={sentences.map(({ is }) => is)}
      consequences={sentences.flatMap(({ becomes }) => becomes ?? [])}
      comparedAt={comparedAt}
      isStale={isStale}
      reason={reasonOf(schema.can, 'reconcile', { team })}
      onRestore={() => write.send({ params: { ...place } })}
      hint={{ kind: 'schema', app: place.app, env: place.env }}
    />
  );
}
