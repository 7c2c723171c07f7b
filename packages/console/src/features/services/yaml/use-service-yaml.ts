/** The settings file from the server, the local edits, and applying them. */
import { isPlan, runOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { serviceYamlUpdate, serviceYamlView } from '@slipway/contract/service/service-operations.ts';
import { useState } from 'react';
import useSWR from 'swr';
import { send2xx } from '#kit/api/call.ts';
import { ResponseError } from '#kit/api/errors.ts';
import { q, type QueryError } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { clearError, reportError } from '#kit/error/global-error.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { lineErrors, type LineError } from './yaml-lines.ts';

export interface ServiceYaml {
  /** The current file; undefined while loading. */
  current: string | undefined;
  loadError: QueryError | undefined;
  reload: () => Promise<unknown>;
  text: string;
  isEdited: boolean;
  /** Someone changed the settings after editing began. */
  isOutdated: boolean;
  edit: (text: string) => void;
  /** Reverts to the current settings. */
  revert: () => void;
  errors: readonly LineError[];
  plan: Plan | undefined;
  review: () => Promise<void>;
  apply: () => Promise<PipelineRun>;
  dismiss: () => void;
  isBusy: boolean;
}

interface Draft {
  text: string;
  /** The file that the edits are based on. */
  base: string;
}

/** `isReady`: the service is loaded, and the user may read its settings. */
export const useServiceYaml = (place: ServiceRef, isReady: boolean): ServiceYaml => {
  const input = { params: { ...place } };
  const key = isReady ? q(serviceYamlView, input) : null;
  const file = useSWR<string, QueryError>(key, async () => (await send2xx(serviceYamlView, input)).text());
  const [draft, setDraft] = useState<Draft>();
  const [errors, setErrors] = useState<readonly LineError[]>([]);
  const [plan, setPlan] = useState<Plan>();
  const write = useWrite(serviceYamlUpdate);
  const current = file.data;
  const text = draft?.text ?? current ?? '';
  const send = (isDryRun: boolean) => write.send({ ...input, ...(isDryRun ? { query: { dryRun: 'true' } } : {}), body: { yaml: text } });
  const tell = (error: unknown): void => {
    if (error instanceof ResponseError && error.status < 500 && error.errors.length > 0) setErrors(lineErrors(error.errors, text));
    else reportError(error);
  };
  return {
    current,
    loadError: file.error,
    reload: () => file.mutate(),
    text,
    isEdited: draft !== undefined && draft.text !== current,
    isOutdated: draft !== undefined && current !== undefined && draft.base !== current,
    edit: (next) => {
      setDraft({ text: next, base: draft?.base ?? current ?? '' });
      setErrors([]);
    },
    revert: () => {
      setDraft(undefined);
      setErrors([]);
    },
    errors,
    plan,
    review: async () => {
      clearError();
      setErrors([]);
      try {
        const answer = await send(true);
        if (isPlan(answer)) setPlan(answer);
      } catch (error) {
        tell(error);
      }
    },
    apply: async () => runOf(await send(false)),
    dismiss: () => setPlan(undefined),
    isBusy: write.isBusy,
  };
};
