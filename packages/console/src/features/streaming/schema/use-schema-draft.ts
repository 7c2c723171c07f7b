/** The draft of a schema's next version: what it began with, what was typed, and saving it against the version that it was made to. */
import { schemaUpdate, type CompatibilityLevel, type Schema, type SchemaUse } from '@slipway/contract/streaming/schema.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { hasCode } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { mergeLines } from '#kit/diff/merge-lines.ts';
import { errorSentence } from '#kit/error/describe-error.ts';
import { sayEnd } from '#features/streaming/run-follower.ts';
import { isSameUses, namedUses, usesOf } from './schema-uses.ts';
import type { SchemaPlace } from './use-schema-removal.ts';

/** What the draft was made to. */
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
  /** What changed, in a word each. */
  changes: readonly string[];
  isBusy: boolean;
  discard: () => void;
  save: () => Promise<void>;
  /** Somebody saved another version since; the draft is kept. */
  isOutdated: boolean;
  /** The draft on top of what somebody saved; undefined where both changed the same lines. */
  merged: string | undefined;
  /** Goes on with this content, made to the newest version. */
  goOn: (content: string) => void;
}

/** Specification §8. */
const saved = { done: 'Schema updated successfully', failed: 'Error updating schema' };

interface Typed {
  readonly content?: string;
  readonly compatibility?: CompatibilityLevel;
  readonly uses?: readonly SchemaUse[];
  /** Of the moment when somebody began to type. */
  readonly base?: Base;
  /** What was asked for last and failed is given up, too. */
  readonly isDiscarded?: boolean;
}

export const useSchemaDraft = ({ app, env }: SchemaPlace, schema: Schema): SchemaDraft => {
  const write = useWrite(schemaUpdate);
  const [kept, setTyped] = useState<Typed>({});
  // Typed and taken back is nothing typed: what others save shows at once.
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
  // What is typed is made to the version that was in view then.
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
