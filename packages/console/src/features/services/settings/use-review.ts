/** Reviews and applies the changes: validates them here, then runs a dry run on the server. Errors appear at their fields. */
import { isPlan, runOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { hasCode, ResponseError } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { clearError, reportError } from '#kit/error/global-error.ts';
import { paths } from '#entities/paths.ts';
import { sayEnd } from '#entities/pipeline/run-follower.ts';
import { settingsOf } from './draft.ts';
import { focusField } from './focus-field.ts';
import type { SettingsPlace } from './settings-context.ts';
import type { SettingsStore } from './store.ts';

export interface Review {
  /** Set while the dialog is open. */
  plan: Plan | undefined;
  isBusy: boolean;
  ask: () => Promise<void>;
  apply: () => Promise<void>;
  /** Leaves the page after the approval of the changes was requested. */
  requested: () => void;
  close: () => void;
  focusFirstError: () => void;
  /** True once applied, so that leaving the page loses nothing. */
  isReleased: () => boolean;
}

/** The banner and the notices are above the form, but the button is below it. */
const showTop = (): void => scrollTo({ top: 0 });

/** `onConflict` is called if someone else changed the settings; reload them then. */
export const useReview = (place: SettingsPlace, store: SettingsStore, onConflict: () => void): Review => {
  const dryRun = useWrite(serviceUpdate);
  const update = useWrite(serviceUpdate);
  const navigate = useNavigate();
  const [plan, setPlan] = useState<Plan>();
  const released = useRef(false);

  const focusFirstError = (): void => {
    const [first] = store.get().errors;
    // Rows with errors have to open first.
    if (first) requestAnimationFrame(() => focusField(first.field));
  };
  const input = (isDryRun: boolean) => {
    const { draft, version } = store.get();
    return { params: { ...place }, query: { dryRun: isDryRun }, body: { ...settingsOf(draft), settingsVersion: version } };
  };
  /** Returns false if the error has to be shown elsewhere. */
  const landed = (error: unknown): boolean => {
    if (hasCode(error, 'SettingsChangedMeanwhile')) {
      onConflict();
      showTop();
      return true;
    }
    if (!(error instanceof ResponseError) || !store.refuse(error.errors)) return false;
    focusFirstError();
    return true;
  };

  const ask = async (): Promise<void> => {
    clearError();
    if (!store.check()) {
      focusFirstError();
      return;
    }
    try {
      const answer = await dryRun.send(input(true));
      if (isPlan(answer)) setPlan(answer);
    } catch (error) {
      if (landed(error)) return;
      reportError(error);
      showTop();
    }
  };
  const apply = async (): Promise<void> => {
    try {
      const run = runOf(await update.send(input(false)));
      released.current = true;
      void sayEnd(run, { failed: 'Service settings update failed.' });
      await navigate(paths.pipeline({ ...place, pipeline: run.pipelineId }));
    } catch (error) {
      if (!landed(error)) throw error;
      setPlan(undefined);
    }
  };
  return {
    plan,
    isBusy: dryRun.isBusy,
    ask,
    apply,
    requested: () => {
      released.current = true;
      void navigate(paths.service(place));
    },
    close: () => setPlan(undefined),
    focusFirstError,
    isReleased: () => released.current,
  };
};
