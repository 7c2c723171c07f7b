/** Reads why a revision is unhealthy and polls it; null while it is healthy. */
import { revisionDiagnosis, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { useQuery } from '#kit/api/query.ts';
import type { RevisionRef } from './diagnosis-labels.ts';

/** Polled, because restarts and slow starts send no live change. */
const pollMs = 5000;

export interface DiagnosisState {
  diagnosis: Diagnosis | null;
  /** False until the first load, so that content below can reserve space and not jump. */
  isKnown: boolean;
}

/** With `undefined` the hook sends no request. */
export const useDiagnosis = (ref: RevisionRef | undefined): DiagnosisState => {
  const params = ref && { app: ref.app, env: ref.env, service: ref.service, revision: ref.revision };
  const { data, error } = useQuery(revisionDiagnosis, params && { params }, { pollMs, isAlwaysPolled: true });
  return { diagnosis: data?.diagnosis ?? null, isKnown: ref === undefined || data !== undefined || error !== undefined };
};
