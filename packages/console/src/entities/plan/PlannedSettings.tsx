/** The settings of an entity: fields, a review of the plan, and the pipeline that applies the change. Read-only with a reason. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Call } from '@slipway/contract/kernel/kernel.ts';
import type { Plan, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { refresh } from '#entities/changes/index.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { FieldsFor, type FieldsForProps } from '#kit/form/FieldsFor.tsx';
import { PageForm } from '#kit/form/PageForm.tsx';
import type { ApiForm, ApiFormOptions } from '#kit/form/use-api-form.ts';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { ConfirmChanges } from './ConfirmChanges.tsx';
import type { PlannedRoute } from './dry-run.ts';
import { usePlannedForm } from './use-planned-form.ts';

export interface PlannedSettingsProps<R extends PlannedRoute, Values extends FieldValues, Output>
  extends Omit<ApiFormOptions<Values, Output>, 'onSubmit' | 'defaultValues'>, Pick<FieldsForProps, 'tone'> {
  /** "topic" */
  noun: string;
  /** The name that people read, and the one in the plan. */
  title: string;
  name: string;
  environment: Environment;
  route: R;
  inputOf: (values: Output) => Call<R>;
  hint: ChangeHint;
  /** The settings in force. When they change, the form is reset to them. */
  applied: Values;
  /** Why the user may not change them now. */
  reason: string | undefined;
  cancelHref: string;
  aside: (form: ApiForm<Values>) => ReactNode;
  /** Splits a plan into what the dialog lists by itself and the elements to show before. */
  shownOf?: (plan: Plan) => { plan: Plan; before: ReactNode };
  children: (form: ApiForm<Values>) => ReactNode;
}

export const PlannedSettings = <R extends PlannedRoute, Values extends FieldValues, Output>(
  props: PlannedSettingsProps<R, Values, Output>,
) => <Settings key={JSON.stringify(props.applied)} {...props} />;

function Settings<R extends PlannedRoute, Values extends FieldValues, Output>(props: PlannedSettingsProps<R, Values, Output>) {
  const { noun, title, name, environment, route, inputOf, hint, applied, reason, tone, cancelHref, aside, shownOf, children, ...rest } =
    props;
  const { send } = useWrite(route);
  const planned = usePlannedForm<Values, Output>({
    ...rest,
    defaultValues: applied,
    send: async (values, isDryRun) => {
      const input = inputOf(values);
      return (await send(isDryRun ? { ...input, query: { dryRun: 'true' } } : input)) as PlanOrRun;
    },
    onStarted: async (run) => {
      toastRun(`${title} is being changed`, run);
      await refresh(hint);
    },
  });
  const { form, plan, confirm, dismiss, isStarted } = planned;
  const shown = plan && (shownOf?.(plan) ?? { plan, before: undefined });
  return (
    <>
      <PageForm
        form={form}
        label={`Settings of the ${noun}`}
        hasGuard={false}
        submitLabel="Review changes"
        busyLabel="Looking"
        disabledReason={reason}
        cancelHref={cancelHref}
        aside={aside(form)}
      >
        <FieldsFor legend="Settings" reason={reason} tone={tone}>
          {children(form)}
        </FieldsFor>
      </PageForm>
      <UnsavedGuard isDirty={form.isDirty} isReleased={() => reason !== undefined || isStarted()} />
      {shown && (
        <ConfirmChanges
          plan={shown.plan}
          title={`Change ${title}?`}
          subject={name}
          environment={environment}
          confirmLabel={environment === 'production' ? 'Apply to production' : 'Apply changes'}
          onConfirm={confirm}
          onClose={dismiss}
        >
          {shown.before}
        </ConfirmChanges>
      )}
    </>
  );
}
