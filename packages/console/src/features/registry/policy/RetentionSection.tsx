/** The retention settings, with a live preview of the tags that the rule would delete. */
import { retentionPreview, type RetentionPreview } from '@slipway/contract/registry/retention.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { FormGroup, FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useEffect, useState } from 'react';
import { useController, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { useQuery } from '#kit/api/query.ts';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import { isPattern, type PolicyValues } from './policy-form.ts';
import css from './PolicyForm.module.css';

interface RetentionProps {
  form: ApiForm<PolicyValues>;
  place: RegistryPlace;
  isLocked: boolean;
  onDeletes: (deletes: boolean) => void;
}

export function RetentionSection({ form, place, isLocked, onDeletes }: RetentionProps) {
  const { field } = useController({ control: form.control, name: 'deletes' });
  useEffect(() => onDeletes(field.value), [onDeletes, field.value]);
  return (
    <FormGroup title="Tags and retention" id="retention">
      <FormRow help="Without a rule every tag is kept, until the storage is full.">
        <Switch label="Delete old tags by itself" checked={field.value} onChange={(event) => field.onChange(event.target.checked)} />
      </FormRow>
      {field.value && (
        <FormRow help={<Preview form={form} place={place} isLocked={isLocked} />}>
          <div className={css.rule}>
            <NumberInputField form={form} name="keepNewest" unit="tags" min={1} max={1000} />
            <NumberInputField form={form} name="keepDays" unit="days" min={1} max={3650} placeholder="any" />
          </div>
          <TextField
            form={form}
            name="keepPattern"
            labelNote="optional"
            isMono
            spellCheck={false}
            autoCapitalize="off"
            placeholder="v.*"
            hint="A regular expression for the whole tag."
          />
        </FormRow>
      )}
    </FormGroup>
  );
}

const restMs = 300;
/** Returns the debounced rule, or undefined if the input is not a valid rule. */
const useRestingRule = (form: ApiForm<PolicyValues>) => {
  const keepNewest = useWatch({ control: form.control, name: 'keepNewest' });
  const keepDays = useWatch({ control: form.control, name: 'keepDays' });
  const keepPattern = useWatch({ control: form.control, name: 'keepPattern' });
  const isRule = Number.isInteger(keepNewest) && (keepNewest ?? 0) > 0 && isPattern(keepPattern);
  const text = JSON.stringify({
    keepNewest,
    ...(keepDays === null ? {} : { keepDays }),
    ...(keepPattern.trim() === '' ? {} : { keepPattern: keepPattern.trim() }),
  });
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return isRule ? (JSON.parse(rested) as { keepNewest: number; keepDays?: number; keepPattern?: string }) : undefined;
};

function Preview({ form, place, isLocked }: Omit<RetentionProps, 'onDeletes'>) {
  const rule = useRestingRule(form);
  const { data, isLoading } = useQuery(retentionPreview, rule && { params: { ...place }, query: rule }, { keepPreviousData: true });
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p>In each repository, every night. Never a tag that a revision runs or a rollback needs.</p>
      <p role="status">
        {!rule && 'This is no rule yet.'}
        {rule && !data && (isLoading ? 'Counting what it would delete …' : '')}
        {rule && data && (
          <>
            Now it would delete{' '}
            <strong>
              {count(data.tags, 'tag')}
              {data.isAtLeast && ' or more'}, {bytes(data.sizeBytes)}
            </strong>
            .
          </>
        )}
      </p>
      {!isLocked && data && data.content.length > 0 && (
        <Button size="sm" onClick={() => setOpen(true)}>
          See which
        </Button>
      )}
      {isOpen && data && <PreviewDialog preview={data} onClose={() => setOpen(false)} />}
    </>
  );
}

type Preview = z.infer<typeof RetentionPreview>;
const columns: Column<Preview['content'][number]>[] = [
  { key: 'tag', header: 'Tag', phone: 'title', cell: ({ tag }) => <code className="strong">{tag}</code> },
  { key: 'repository', header: 'Repository', phone: 'meta', cell: ({ repository }) => repository },
  { key: 'pushed', header: 'Pushed', phone: 'status', cell: ({ pushedAt }) => <RelativeTime at={pushedAt} isShort /> },
  { key: 'size', header: 'Size', align: 'end', phone: 'end', cell: ({ sizeBytes }) => bytes(sizeBytes) },
];

function PreviewDialog({ preview, onClose }: { preview: Preview; onClose: () => void }) {
  const rest = preview.tags - preview.content.length;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      title={`${count(preview.tags, 'tag')} would be deleted`}
      description={`The oldest first. ${bytes(preview.sizeBytes)} get free: layers that images share with what stays are kept.`}
      actions={<Button onClick={onClose}>Done</Button>}
      {...(rest > 0 ? { footNote: `and ${count(rest, 'more tag')}` } : {})}
    >
      <Table
        label="Tags that would be deleted"
        columns={columns}
        rows={preview.content}
        rowKey={({ repository, tag }) => `${repository}:${tag}`}
        density="compact"
      />
    </Dialog>
  );
}
