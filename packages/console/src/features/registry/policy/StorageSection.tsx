/** The project's quota and usage. Administrators change the quota, which is saved immediately. */
import { containerRegistryQuotaSet, type ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { FormGroup, FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import * as z from 'zod/mini';
import { keepAnswer } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';

interface StorageProps {
  place: RegistryPlace;
  registry: ContainerRegistry;
}
const warnShare = 0.8;

export function StorageSection({ place, registry }: StorageProps) {
  const { usedBytes, uploadingBytes, quotaBytes } = registry.storage;
  const [isOpen, setOpen] = useState(false);
  const reason = reasonOf(registry.can, 'setQuota');
  const used = usedBytes + uploadingBytes;
  return (
    <FormGroup title="Storage" id="storage">
      <FormRow
        help={
          <>
            <p>A push over the quota is refused, and nothing of it is kept. Layers that images share count once.</p>
            {quotaBytes !== null && (
              <Gauge
                label={`${bytes(used)} of ${bytes(quotaBytes)}`}
                value={used}
                of={Math.max(quotaBytes, used, 1)}
                limit={quotaBytes * warnShare}
              >
                {bytes(used)} of {bytes(quotaBytes)}
              </Gauge>
            )}
          </>
        }
      >
        <p>
          <strong>Storage quota</strong>
        </p>
        <p>{quotaBytes === null ? `None: as much as the disk holds. ${bytes(used)} are used.` : bytes(quotaBytes)}</p>
        <div className="row">
          <Button onClick={() => setOpen(true)} disabledReason={reason}>
            Change the quota
          </Button>
        </div>
      </FormRow>
      {isOpen && <QuotaDialog place={place} registry={registry} onClose={() => setOpen(false)} />}
    </FormGroup>
  );
}

const gigabyte = 2 ** 30;
const schema = z.object({
  gigabytes: z.nullable(
    z.number({ error: 'NotANumber' }).check(z.minimum(0, { error: 'Minimum' }), z.maximum(2 ** 20, { error: 'Maximum' })),
  ),
});

function QuotaDialog({ place, registry, onClose }: StorageProps & { onClose: () => void }) {
  const write = useWrite(containerRegistryQuotaSet);
  const { quotaBytes } = registry.storage;
  const form = useApiForm({
    schema,
    defaultValues: { gigabytes: quotaBytes === null ? null : Number((quotaBytes / gigabyte).toFixed(2)) },
    labels: { gigabytes: 'Storage quota' },
    onSubmit: async ({ gigabytes }) => {
      const body = { quotaBytes: gigabytes === null ? null : Math.round(gigabytes * gigabyte) };
      await keepAnswer(containerRegistryView, { params: { ...place } }, await write.send({ params: { ...place }, body }));
      toast.success('The quota is saved');
      onClose();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="Change the quota" submitLabel="Save quota" busyLabel="Saving">
      <NumberInputField
        form={form}
        name="gigabytes"
        unit="GB"
        min={0}
        placeholder="as the platform gives"
        hint="Empty: what the platform gives every project."
      />
    </FormDialog>
  );
}
