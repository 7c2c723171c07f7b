/** The draft of a schema's next version: base, edits, and saving against the base version. */
import { schemaUpdate, type CompatibilityLevel, type Schema, type SchemaUse } from '@slipway/contract/streaming/schema.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { hasCode } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { mergeLines } from '#kit/diff/merge-lines.ts';
import { errorSentence } from '#kit/error/describe-error.ts';
import { sayEnd } from '#entities/pipeline/run-follower.ts';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import { isSameUses, namedUses, usesOf } from './schema-uses.ts';

/** The version that the draft is based on. */
type Base = Pick<Schema, 'content'> & { readonly revisionId: number };

export interface SchemaDraft {
  content: string;
  setContent: (text: string) => void;
  compatibility: CompatibilityLevel;
  setCompatibility: (level: CompatibilityLevel) => void;
  uses: readonly SchemaUse[];
  setUses: (uses: readonly SchemaUse[]) => void;
  base: Base;
  isContentChanged: boolean;
  /** Labels of the changes. */
  changes: readonly string[];
  isBusy: boolean;
  discard: () => void;
  save: () => Promise<void>;
  /** Someone else saved another version since. The draft is kept. */
  isOutdated: boolean;
  /** The draft merged with the version that someone else saved. Undefined if both changed the same lines. */
  merged: string | undefined;
  /** Continues with this content, based on the newest version. */
  goOn: (content: string) => void;
}

/** Specification §8. */
const saved = { done: 'Schema updated successfully', failed: 'Error updating schema' };

interface Typed {
  readonly content?: string;
  readonly compatibility?: CompatibilityLevel;
  readonly uses?: readonly SchemaUse[];
  /** The newest version when the user began to edit. */
  readonly base?: Base;
  /** Also discards the last request, which failed. */
  readonly isDiscarded?: boolean;
}

export const useSchemaDraft = ({ app, env }: SchemaPlace, schema: Schema): SchemaDraft => {
  const write = useWrite(schemaUpdate);
  const [kept, setTyped] = useState<Typed>({});
  // Reverted edits do not count, so versions saved by others show immediately.
  const isIdle = schema.draft === null && kept.content === kept.base?.content && !kept.compatibility && !kept.uses;
  const typed: Typed = isIdle ? {} : kept;
  const start = typed.isDiscarded ? schema : (schema.draft ?? schema);
  const newest: Base = { content: schema.content, revisionId: schema.revisionId ?? 1 };
  const { content = start.content, compatibility = start.compatibility, uses = usesOf(start.references), base = newest } = typed;
  const isContentChanged = content !== schema.content;
  const areUsesChanged = !isSameUses(uses, usesOf(schema.references));
  const save = async (): Promise<void> => {
    const body = { content, revisionId: base.revisionId, compatibility, references: namedUses(uses) };
    try {
      const run = runOf(await write.send({ params: { app, env, schema: schema.name }, body }));
      setTyped({});
      await refresh({ kind: 'schema', app, env });
      await sayEnd(run, saved);
      await refresh({ kind: 'schema', app, env });
    } catch (error) {
      toast.failure(saved.failed, { detail: errorSentence(error) });
      if (hasCode(error, 'SchemaChangedMeanwhile')) await refresh({ kind: 'schema', app, env });
    }
  };
  // Edits are based on the version that was visible when they began.
  const type = (change: Typed): void => setTyped((before) => ({ ...before, ...change, base: before.base ?? newest }));
  return {
    content,
    setContent: (text) => type({ content: text }),
    compatibility,
    setCompatibility: (level) => type({ compatibility: level }),
    uses,
    setUses: (next) => type({ uses: next }),
    base,
    isContentChanged,
    changes: [
      ...(isContentChanged ? ['Content'] : []),
      ...(compatibility === schema.compatibility ? [] : ['Compatibility level']),
      ...(areUsesChanged ? ['References'] : []),
    ],
    isBusy: write.isBusy,
    discard: () => setTyped({ isDiscarded: true }),
    save,
    isOutdated: base.revisionId !== newest.revisionId,
    merged: mergeLines(base.content, content, schema.content),
    goOn: (next) => setTyped((before) => ({ ...before, content: next, base: newest })),
  };
};
