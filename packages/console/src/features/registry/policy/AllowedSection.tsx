/** The vulnerabilities that the policy allows, each with a reason and a last day. Saved with the rest of the policy. */
import { maxAllowedCveDays } from '@slipway/contract/registry/policy.ts';
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useController } from 'react-hook-form';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { allowedColumns, type AllowedRow } from '#features/registry/allowed-columns.tsx';
import { rowActions } from '#kit/list/columns.tsx';
import { AllowDialog } from './AllowDialog.tsx';
import type { AllowedDraft, PolicyValues } from './policy-form.ts';
import css from './PolicyForm.module.css';

/** `?allow={id}` opens the dialog with this id, linked from an image page. */
const defaults = { allow: '' };

interface AllowedProps {
  form: ApiForm<PolicyValues>;
  registry: ContainerRegistry;
  isLocked: boolean;
}

export function AllowedSection({ form, registry, isLocked }: AllowedProps) {
  const { field, fieldState } = useController({ control: form.control, name: 'allowedCves' });
  const { state, set } = useUrlState(defaults);
  const [edited, setEdited] = useState<AllowedDraft | 'new'>();
  const rows = field.value.map((draft): AllowedRow => {
    const saved = registry.policy.allowedCves.find(({ cveId }) => cveId === draft.cveId);
    const isSame = saved?.reason === draft.reason && saved.expiresAt === draft.expiresAt;
    return isSame ? saved : draft;
  });
  const isNamed = state.allow !== '' && !isLocked;
  const shown = edited ?? (isNamed ? (field.value.find(({ cveId }) => cveId === state.allow) ?? 'new') : undefined);
  const close = (): void => {
    setEdited(undefined);
    if (state.allow !== '') set({ allow: '' }, { replace: true });
  };
  const actions: Column<AllowedRow> = {
    ...rowActions,
    phone: 'extra',
    cell: ({ cveId, reason, expiresAt }) => (
      <span className="row">
        <Button size="sm" variant="quiet" aria-label={`Edit ${cveId}`} onClick={() => setEdited({ cveId, reason, expiresAt })}>
          Edit
        </Button>
        <Button
          size="sm"
          variant="quiet"
          aria-label={`Stop allowing ${cveId}`}
          onClick={() => field.onChange(field.value.filter((one) => one.cveId !== cveId))}
        >
          Stop allowing
        </Button>
      </span>
    ),
  };
  return (
    <section className={css.section} aria-labelledby="allowed">
      <div className={css.head}>
        <h2 id="allowed">Allowed vulnerabilities</h2>
        {!isLocked && (
          <Button size="sm" icon={<Plus aria-hidden="true" />} onClick={() => setEdited('new')}>
            Allow one
          </Button>
        )}
      </div>
      <div className={css.allowed}>
        <Table
          label="Allowed vulnerabilities"
          columns={[...allowedColumns<AllowedRow>(), ...(isLocked ? [] : [actions])]}
          rows={rows}
          rowKey={({ cveId }) => cveId}
          phone="flow"
          empty={
            <EmptyState kind="first-use" title="None is allowed" isCompact>
              Allow one that does not harm here, with the reason and an end. It stays in the lists, in grey.
            </EmptyState>
          }
        />
      </div>
      <p className={`meta ${css.hint}`} role={fieldState.error ? 'alert' : undefined}>
        {fieldState.error?.message ??
          `Each needs a reason and an end, at most ${maxAllowedCveDays} days away. When it ends, the image counts as vulnerable again.`}
      </p>
      {shown !== undefined && (
        <AllowDialog
          start={shown === 'new' ? { cveId: edited === undefined ? state.allow : '', reason: '', expiresAt: '' } : shown}
          isNew={shown === 'new'}
          taken={field.value.map(({ cveId }) => cveId)}
          onClose={close}
          onAllow={(draft) =>
            field.onChange(shown === 'new' ? [...field.value, draft] : field.value.map((one) => (one.cveId === draft.cveId ? draft : one)))
          }
        />
      )}
    </section>
  );
}
