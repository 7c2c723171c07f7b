/** Why a revision is not well, kept up to date; null while all is well. */
import { revisionDiagnosis, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { useQuery } from '#kit/api/query.ts';
import type { RevisionRef } from './diagnosis-labels.ts';

/** Restarts count up and starts get late without a change that anybody announces. */
const pollMs = 5000;

export interface DiagnosisState {
  diagnosis: Diagnosis | null;
  /** False until it is known for the first time: what stands below can wait for it instead of jumping. */
  isKnown: boolean;
}

/** `undefined` asks nothing. */
export const useDiagnosis = (ref: RevisionRef | undefined): DiagnosisState => {
  const params = ref && { app: ref.app, env: ref.env, service: ref.service, revision: ref.revision };
  const { data, error } = useQuery(revisionDiagnosis, params && { params }, { pollMs, isAlwaysPolled: true });
  return { diagnosis: data?.diagnosis ?? null, isKnown: ref === undefined || data !== undefined || error !== undefined };
};
