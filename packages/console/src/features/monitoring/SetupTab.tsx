/** How to set a browser monitor up: snippet, API key, settings, forwarding, source maps, and deleting the data of a person. */
import {
  formerKeyHours,
  monitorErase,
  monitorForward,
  monitorKeyRotate,
  monitorSourceMapList,
  monitorUpdate,
  type Monitor,
  type MonitorSourceMap,
} from '@slipway/contract/monitoring/monitor.ts';
import { deliveryFailures } from '@slipway/contract/kernel/delivery.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useId, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/index.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless, reasonOf } from '#kit/error/messages.ts';
import { Form } from '#kit/form/Form.tsx';
import { FieldsFor } from '#kit/form/FieldsFor.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { snippetOf } from './faro-snippet.ts';
import { fromLines, MonitorFields, monitorLabels, MonitorValues } from './MonitorFields.tsx';
import type { MonitorPlace } from './monitor-place.ts';

interface PartProps {
  place: MonitorPlace;
  monitor: Monitor;
  team: string;
}

export default function SetupTab(props: PartProps) {
  return (
    <>
      <Snippet {...props} />
      <Settings {...props} />
      <Forwarding {...props} />
      <SourceMaps {...props} />
      <Erasure {...props} />
    </>
  );
}

function Snippet({ place, monitor, team }: PartProps) {
  const id = useId();
  const { send } = useWrite(monitorKeyRotate);
  const rotate = (endFormerNow: boolean) =>
    confirmAction({
      title: endFormerNow ? 'Replace the API key and end the former one now?' : 'Replace the API key?',
      description: endFormerNow
        ? 'Pages with the former key cannot send anything from now on.'
        : `Pages with the former key can send for another ${formerKeyHours} hours.`,
      confirmLabel: 'Replace API key',
      busyLabel: 'Replacing',
      variant: endFormerNow ? 'danger' : 'primary',
      run: async () => {
        await send({ params: place, body: { endFormerNow } });
        toast.success('The API key is replaced. Put the new one into your pages.');
        await refresh({ kind: 'monitor', ...place });
      },
    });
  const off = disabledUnless(monitor.can, 'rotate', { team });
  return (
    <Panel aria-labelledby={id}>
      <PanelHead title="Snippet" titleId={id} note="for the start of your pages" />
      <PanelBody className="stack stack-12">
        <CodeBlock code={snippetOf(monitor)} what="snippet" />
        <p className="dense">
          The API key is public, because pages contain it. Only pages of the allowed origins can use it in browsers. Set user.id only to an
          id that names nobody: Slipway stores a salted hash of it.
        </p>
        {monitor.lastSeenAt === null && <Notice tone="run">Waiting for the first payload.</Notice>}
        {monitor.formerKeyUntil !== null && (
          <Notice>
            The former API key is accepted until <RelativeTime at={monitor.formerKeyUntil} />.
          </Notice>
        )}
      </PanelBody>
      <PanelFoot>
        <Button onClick={() => rotate(false)} {...off}>
          Replace API key
        </Button>
        <Button variant="quiet" onClick={() => rotate(true)} {...off}>
          Replace and end the former now
        </Button>
      </PanelFoot>
    </Panel>
  );
}

interface FormPanelProps<Values extends FieldValues> {
  title: string;
  note?: string;
  form: ApiForm<Values>;
  submitLabel: string;
  reason: string | undefined;
  more?: ReactNode;
  children: ReactNode;
}
function FormPanel<Values extends FieldValues>({ title, note, form, submitLabel, reason, more, children }: FormPanelProps<Values>) {
  const id = useId();
  return (
    <Panel aria-labelledby={id}>
      <PanelHead title={title} titleId={id} note={note} />
      <PanelBody>
        <Form form={form} label={title}>
          <FieldsFor legend={title} reason={reason}>
            {children}
          </FieldsFor>
          <div className="row">
            <Button type="submit" isBusy={form.isBusy} {...(reason === undefined ? {} : { disabledReason: reason })}>
              {submitLabel}
            </Button>
            {more}
          </div>
        </Form>
      </PanelBody>
    </Panel>
  );
}

function Settings({ place, monitor, team }: PartProps) {
  const { send } = useWrite(monitorUpdate);
  const form = useApiForm({
    schema: MonitorValues,
    defaultValues: {
      allowedOrigins: monitor.allowedOrigins.join('\n'),
      samplePercent: monitor.samplePercent,
      retentionDays: String(monitor.retentionDays),
    },
    labels: monitorLabels,
    onSubmit: async (values) => {
      await send({ params: place, body: fromLines(values) });
      form.reset(values);
      toast.success('The settings are saved');
      await refresh({ kind: 'monitor', ...place });
    },
  });
  return (
    <FormPanel title="Settings" form={form} submitLabel="Save settings" reason={reasonOf(monitor.can, 'update', { team })}>
      <MonitorFields form={form} />
    </FormPanel>
  );
}

const ForwardValues = z.object({ url: z.string(), authorization: z.string() });
function Forwarding({ place, monitor, team }: PartProps) {
  const { send } = useWrite(monitorForward);
  const { forwarding } = monitor;
  const save = async (url: string | null, authorization: string): Promise<void> => {
    await send({ params: place, body: { url, ...(authorization === '' ? {} : { authorization }) } });
    form.reset({ url: url ?? '', authorization: '' });
    toast.success(url === null ? 'Nothing is forwarded from now on' : 'Payloads are forwarded from now on');
    await refresh({ kind: 'monitor', ...place });
  };
  const form = useApiForm({
    schema: ForwardValues,
    defaultValues: { url: forwarding?.url ?? '', authorization: '' },
    labels: { url: 'OTLP endpoint', authorization: 'Authorization header' },
    onSubmit: ({ url, authorization }) => save(url.trim(), authorization),
  });
  const reason = reasonOf(monitor.can, 'forward', { team });
  return (
    <FormPanel
      title="Forwarding"
      note="logs and traces as OTLP over HTTP"
      form={form}
      submitLabel="Forward"
      reason={reason}
      more={
        forwarding && (
          <Button variant="quiet" onClick={() => void save(null, '')} {...(reason === undefined ? {} : { disabledReason: reason })}>
            Stop forwarding
          </Button>
        )
      }
    >
      {forwarding?.failure && (
        <Notice tone="warn">
          {deliveryFailures[forwarding.failure].replace(/ \{status\}/, ' an error status').replace('{seconds}', '10')}. {forwarding.dropped}{' '}
          payloads were not forwarded.
        </Notice>
      )}
      <TextField form={form} name="url" placeholder="https://otlp.example.com" hint="Slipway appends /v1/logs and /v1/traces." />
      <TextField
        form={form}
        name="authorization"
        type="password"
        autoComplete="off"
        labelNote="optional"
        hint={
          forwarding?.hasAuthorization
            ? 'A header is stored. It is kept if you leave this empty and the URL stays the same.'
            : 'Like Bearer 4f2a… Nobody can read it later.'
        }
      />
    </FormPanel>
  );
}

const mapColumns: Column<MonitorSourceMap>[] = [
  { key: 'release', header: 'Release', phone: 'title', cell: ({ release }) => release },
  { key: 'file', header: 'File', phone: 'meta', cell: ({ file }) => <code>{file}</code> },
  { key: 'size', header: 'Size', align: 'end', isRoomy: true, cell: ({ bytes: size }) => <span className="num">{bytes(size)}</span> },
  { key: 'at', header: 'Uploaded', align: 'end', phone: 'end', cell: ({ uploadedAt }) => <RelativeTime at={uploadedAt} isShort /> },
];
function SourceMaps({ place }: PartProps) {
  const list = useQuery(monitorSourceMapList, { params: place });
  const url = `${location.origin}/api/v1/apps/${place.app}/${place.env}/monitors/${place.monitor}/source-maps`;
  return (
    <ListPanel
      label="Source maps"
      plural="source maps"
      list={list}
      head={{ title: 'Source maps', note: 'translate the stacks of a release' }}
      columns={mapColumns}
      rows={list.data ?? []}
      rowKey={({ release, file }) => `${release}/${file}`}
      mostRows={10}
      empty={
        <EmptyState kind="first-use" isCompact title="No source maps yet">
          Upload them with each release. Source text in them is not stored.
        </EmptyState>
      }
    >
      <PanelBody>
        <CodeBlock
          what="command"
          code={`curl -X POST -H "Authorization: Bearer $SLIPWAY_TOKEN" -H 'Content-Type: application/json' \\\n  --data-binary @dist/assets/index-4f2a.js.map ${url}/1.0.0/index-4f2a.js`}
        />
      </PanelBody>
    </ListPanel>
  );
}

const EraseValues = z.object({ userId: z.string().check(z.minLength(1, { error: 'Required' })) });
function Erasure({ place, monitor, team }: PartProps) {
  const { send } = useWrite(monitorErase);
  const form = useApiForm({
    schema: EraseValues,
    defaultValues: { userId: '' },
    labels: { userId: 'User id' },
    onSubmit: async ({ userId }) => {
      let sessions = 0;
      for (let isMore = true; isMore;) {
        const done = await send({ params: place, body: { userId } });
        sessions += done.sessions;
        ({ isMore } = done);
      }
      form.reset({ userId: '' });
      toast.success(`${sessions} sessions of the person are deleted`);
      await refresh({ kind: 'monitor', ...place });
    },
  });
  return (
    <FormPanel title="Delete the data of a person" form={form} submitLabel="Delete data" reason={reasonOf(monitor.can, 'erase', { team })}>
      <TextField
        form={form}
        name="userId"
        autoComplete="off"
        hint="As your pages send it in user.id. Counts stay, because they name nobody."
      />
    </FormPanel>
  );
}
