/** The form of one allowed vulnerability. It only changes the policy form, which is saved as a whole. */
import { isCveExpired, maxAllowedCveDays, RegistryPolicyUpdate } from '@slipway/contract/registry/policy.ts';
import { useState } from 'react';
import * as z from 'zod/mini';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { dayAfter, daysUntil } from '#features/registry/days.ts';
import type { AllowedDraft } from './policy-form.ts';

const usualDays = 30;
const { cveId, reason, expiresAt } = RegistryPolicyUpdate.shape.allowedCves.def.element.shape;
const isOpenEnd = (day: string): boolean => {
  const now = new Date();
  return !isCveExpired({ expiresAt: day }, now) && daysUntil(day, now) <= maxAllowedCveDays;
};

interface AllowDialogProps {
  start: AllowedDraft;
  isNew: boolean;
  /** Ids that are already allowed. */
  taken: readonly string[];
  onClose: () => void;
  onAllow: (draft: AllowedDraft) => void;
}

export function AllowDialog({ start, isNew, taken, onClose, onAllow }: AllowDialogProps) {
  const [usualEnd] = useState(() => dayAfter(usualDays, new Date()));
  const form = useApiForm({
    schema: z.object({
      cveId: isNew ? cveId.check(z.refine((id) => !taken.includes(id), { error: 'DuplicateCve', params: { name: 'It' } })) : cveId,
      reason,
      expiresAt: expiresAt.check(z.refine(isOpenEnd, { error: 'CveExpiry', params: { max: String(maxAllowedCveDays) } })),
    }),
    defaultValues: { ...start, expiresAt: start.expiresAt || usualEnd },
    labels: { cveId: 'Vulnerability', reason: 'Reason', expiresAt: 'Until' },
    messages: { DuplicateCve: 'It is allowed already', CveExpiry: `From today on and at most ${maxAllowedCveDays} days away` },
    onSubmit: (draft) => {
      onAllow(draft);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={isNew ? 'Allow a vulnerability' : `Change ${start.cveId}`}
      description="For every image of this project. It takes effect when you save the policy."
      submitLabel={isNew ? 'Allow it' : 'Change it'}
      busyLabel="Changing"
    >
      {isNew && <TextField form={form} name="cveId" isMono spellCheck={false} autoCapitalize="characters" placeholder="CVE-2026-30255" />}
      <TextField
        form={form}
        name="reason"
        maxLength={500}
        placeholder="No XML is read by this service"
        hint="Everyone in the team reads it beside the vulnerability."
      />
      <TextField form={form} name="expiresAt" type="date" hint={`The last day, UTC. At most ${maxAllowedCveDays} days away.`} />
    </FormDialog>
  );
}
