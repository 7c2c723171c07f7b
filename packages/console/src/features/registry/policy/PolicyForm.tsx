/** The policy form: its sections, and a save bar that appears with the first change. Read-only while a change is applied. */
import { containerRegistryUpdate, type ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Savebar } from '@slipway/ui/form/Savebar.tsx';
import { SectionNav } from '@slipway/ui/layout/SectionNav.tsx';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { refresh } from '#entities/changes/refresh.ts';
import { ResponseError } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { Form } from '#kit/form/Form.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import { AllowedSection } from './AllowedSection.tsx';
import { bodyOf, policyChanges, policyLabels, policySchema, valuesOf } from './policy-form.ts';
import css from './PolicyForm.module.css';
import { RetentionSection } from './RetentionSection.tsx';
import { SecuritySection } from './SecuritySection.tsx';
import { StorageSection } from './StorageSection.tsx';

const sections = [
  ['security', 'Security'],
  ['allowed', 'Allowed vulnerabilities'],
  ['retention', 'Tags and retention'],
  ['storage', 'Storage'],
  ['delete', 'Delete project'],
] as const;

interface PolicyFormProps {
  place: RegistryPlace;
  registry: ContainerRegistry;
  /** The last section, which is saved separately. */
  children: ReactNode;
}

export function PolicyForm({ place, registry, children }: PolicyFormProps) {
  const write = useWrite(containerRegistryUpdate);
  const [start] = useState(() => valuesOf(registry.policy));
  const [deletes, setDeletes] = useState(start.deletes);
  const form = useApiForm({
    schema: policySchema(deletes),
    defaultValues: start,
    labels: policyLabels,
    onSubmit: async (values) => {
      try {
        await write.send({ params: { ...place }, body: bodyOf(values) });
        await refresh({ kind: 'containerRegistry', app: place.app });
      } catch (error) {
        toastError('Failed to update Harbor project', error);
        // Field errors also appear at their fields. The toast alone covers all others.
        if (error instanceof ResponseError && error.errors.some(({ field }) => field !== undefined)) throw error;
      }
    },
  });
  const values = useWatch({ control: form.control });
  const changes = policyChanges(start, { ...start, ...values, allowedCves: values.allowedCves?.flatMap(wholeOf) ?? start.allowedCves });
  const isLocked = registry.state !== 'ACTIVE' || reasonOf(registry.can, 'update') !== undefined;
  // A change that could not be applied is restored as unsaved edits.
  const { draft } = registry;
  const { reset } = form;
  const bringBack = useEffectEvent(() => draft && reset(valuesOf(draft)));
  useEffect(() => {
    bringBack();
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <div className="split split-settings">
      <SectionNav label="Policy sections" items={sections.map(([id, label]) => ({ label, href: `#${id}` }))} />
      <div className={css.sections}>
        <Form form={form} label="Registry policy" className={css.sections}>
          <fieldset disabled={isLocked} className={css.fields}>
            <SecuritySection form={form} place={place} start={start} />
            <AllowedSection form={form} registry={registry} isLocked={isLocked} />
            <RetentionSection form={form} place={place} isLocked={isLocked} onDeletes={setDeletes} />
          </fieldset>
          {!isLocked && (
            <Savebar
              count={changes.length}
              summary={changes.join(', ')}
              actions={
                <>
                  <Button variant="quiet" onClick={() => form.reset()}>
                    Discard
                  </Button>
                  <Button type="submit" variant="primary" isBusy={form.isBusy} busyLabel="Saving">
                    Save policy
                  </Button>
                </>
              }
            />
          )}
        </Form>
        <StorageSection place={place} registry={registry} />
        {children}
      </div>
    </div>
  );
}

const wholeOf = ({
  cveId,
  reason,
  expiresAt,
}: {
  cveId?: string | undefined;
  reason?: string | undefined;
  expiresAt?: string | undefined;
}) => (cveId === undefined || reason === undefined || expiresAt === undefined ? [] : [{ cveId, reason, expiresAt }]);
