/** Copies a service's settings to the other environment or to another name, with a choice per change. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { PageError } from '#entities/PageError.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { ConfirmChanges } from '#entities/plan/ConfirmChanges.tsx';
import { VersionChanges } from '#entities/plan/VersionChanges.tsx';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { useService } from '#features/services/use-service.ts';
import { isCarried } from './comparison.ts';
import { CopyForm } from './CopyForm.tsx';
import { CopyReview } from './CopyReview.tsx';
import { useCopyForm } from './use-copy-form.ts';

export function Component() {
  const { place, query, noRight } = useService();
  if (place === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`service ${place.service}`} query={query} />;
  return (
    <>
      <PageHeader
        isList
        hasSkip={false}
        typeLabel="Service"
        name={`Copy ${place.service}`}
        lede={`From ${place.env}, line by line: what is carried over, and what stays as it is there.`}
      />
      {noRight !== undefined && (
        <PageBody>
          <Panel aria-label="Copy service">
            <EmptyState level={2} kind="no-right" title="Services are copied by members of the team">
              {noRight}
            </EmptyState>
          </Panel>
        </PageBody>
      )}
      {query.data && noRight === undefined && <CopyService key={`${place.env}/${place.service}`} place={place} source={query.data} />}
    </>
  );
}

function CopyService({ place, source }: { place: ServiceRef & { env: Environment }; source: Service }) {
  usePageTitle([`Copy ${place.service}`, place.app, place.env]);
  const state = useCopyForm(place, source);
  const { planned, target, isItself, comparison, ticks } = state;
  const { form, plan, confirm, dismiss, isStarted } = planned;
  return (
    <PageBody>
      <CopyForm form={form} place={place} source={source} comparison={comparison} isItself={isItself}>
        <CopyReview place={place} state={state} />
      </CopyForm>
      <UnsavedGuard isDirty={form.isDirty || ticks.size > 0} isReleased={isStarted} />
      {plan && (
        <ConfirmChanges
          // The plan lists all differences. Shows only the selected ones.
          plan={{ ...plan, changes: plan.changes.filter(({ path }) => isCarried(ticks, path)) }}
          title={comparison.existing ? `Change ${target.name}?` : `Make ${target.name}?`}
          subject={`${target.name}, from ${place.service} in ${place.env},`}
          environment={target.environment}
          confirmLabel={target.environment === 'production' ? 'Copy to production' : 'Copy service'}
          busyLabel="Copying"
          onConfirm={confirm}
          onClose={dismiss}
        >
          <VersionChanges image={plan.image} secretVersions={plan.secretVersions} />
        </ConfirmChanges>
      )}
    </PageBody>
  );
}
