/** The server's verdict on a draft, debounced. The previous verdict stays visible until the next one arrives. */
import type { Call } from '@slipway/contract/kernel/kernel.ts';
import type { CompatibilityLevel, SchemaType, SchemaUse } from '@slipway/contract/streaming/schema.ts';
import { schemaCompatibilityCheck, schemaDraftCheck, type SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';
import { useEffect, useEffectEvent, useState } from 'react';
import type { CodeIssue } from '#kit/code/code-editor-props.ts';
import { call } from '#kit/api/call.ts';
import { isEngineAway } from '#kit/api/query.ts';
import { useAskWhoIsAway, useIsAway, type EventsPlace } from '#features/streaming/use-place.ts';

/** Milliseconds after the last keystroke. */
const restMs = 300;

export interface Draft {
  content: string;
  /** For a schema that does not exist yet. */
  type: SchemaType;
  compatibility: CompatibilityLevel;
  uses: readonly SchemaUse[];
  /** The version to compare with. A different one triggers a new request. */
  newest?: number | null;
}
export interface Verdict {
  /** The verdict and its content. Undefined before the first verdict. */
  readonly answer: { readonly content: string; readonly verdict: SchemaVerdict } | undefined;
  readonly isChecking: boolean;
  /** Set if the request failed. */
  readonly error: unknown;
}

const ask = (place: EventsPlace, schema: string | undefined, draft: Draft, signal: AbortSignal): Promise<SchemaVerdict> => {
  const { app, env } = place;
  const { content, type, compatibility } = draft;
  const references = [...draft.uses];
  if (schema === undefined) return call(schemaDraftCheck, { params: { app, env }, body: { type, content, references } }, { signal });
  const input: Call<typeof schemaCompatibilityCheck> = { params: { app, env, schema }, body: { content, compatibility, references } };
  return call(schemaCompatibilityCheck, input, { signal });
};

interface Answered {
  readonly question: string;
  readonly answer: Verdict['answer'];
  readonly error: unknown;
}

/** `schema`: the schema that the draft would be a new version of. */
export const useVerdict = (place: EventsPlace, schema: string | undefined, draft: Draft): Verdict => {
  const isRegistryAway = useIsAway(place, 'registry');
  const [last, setLast] = useState<Answered>({ question: '', answer: undefined, error: undefined });
  const { content: text, type, compatibility, uses, newest } = draft;
  // Requests a new verdict when the registry becomes reachable or unreachable, because the old one no longer applies.
  const question = JSON.stringify([place.app, place.env, schema, text, type, compatibility, uses, newest, isRegistryAway]);
  const isEmpty = draft.content.trim() === '';
  const check = useEffectEvent((signal: AbortSignal): void => {
    const { content } = draft;
    ask(place, schema, draft, signal).then(
      (verdict) => setLast({ question, answer: { content, verdict }, error: undefined }),
      (error: unknown) => !signal.aborted && setLast(({ answer }) => ({ question, answer, error })),
    );
  });
  useEffect(() => {
    if (isEmpty) return;
    const stop = new AbortController();
    const timer = setTimeout(() => check(stop.signal), restMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [question, isEmpty]);
  useAskWhoIsAway(place, last.answer?.verdict.reason === 'REGISTRY_UNAVAILABLE' || isEngineAway(last.error));
  return { answer: last.answer, error: last.error, isChecking: !isEmpty && last.question !== question };
};

/** Returns the issues that the editor marks. */
export const codeIssues = ({ answer }: Verdict): CodeIssue[] => {
  if (!answer) return [];
  const { problems, issues } = answer.verdict;
  return [
    ...problems.map(({ line, message }) => ({ line, message, tone: 'bad' as const })),
    ...issues.flatMap(({ line, message }) => (line === null ? [] : [{ line, message, tone: 'bad' as const }])),
  ];
};
