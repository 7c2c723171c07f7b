/** One flag in one environment: what it answers, the preview, and its history. */
import { flagDelete, flagSettingsUpdate, flagUpdate, flagView, type Flag, type FlagSettings } from '@slipway/contract/flag/flag.ts';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { Details } from '@slipway/ui/layout/Details.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Archive, Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { FlagHistory } from './FlagHistory.tsx';
import { FlagPreviewPanel } from './FlagPreviewPanel.tsx';
import { RuleList } from './rules/RuleList.tsx';
import { ValueField } from './rules/ValueField.tsx';
import { staleText, typeLabels, type FlagPlace } from './flag-labels.ts';
import css from './Flags.module.css';

export function FlagPanel({ place, name }: { place: FlagPlace; name: string }) {
  const flag = useQuery(flagView, { params: { app: place.app, flag: name } });
  if (flag.error && !flag.data) {
    return (
      <Panel aria-label={name}>
        <ListError what={`flag ${name}`} query={flag} />
      </Panel>
    );
  }
  return (
    <Loading isLoading={!flag.data} label="Loading the flag" skeleton={<Skeleton height={240} />}>
      {flag.data && (
        <div className="stack">
          <SettingsPanel place={place} flag={flag.data} />
          <FlagPreviewPanel place={place} flag={flag.data} />
          <FlagHistory place={place} flag={flag.data} />
        </div>
      )}
    </Loading>
  );
}

type Draft = Pick<FlagSettings, 'enabled' | 'value' | 'rules'>;

function SettingsPanel({ place, flag }: { place: FlagPlace; flag: Flag }) {
  const saved = flag[place.env];
  /** The draft keeps the version that it began from, so that a newer one is noticed when it is saved. */
  const [draft, setDraft] = useState<Draft & { basedOn: number }>();
  const [comment, setComment] = useState('');
  const update = useWrite(flagSettingsUpdate);
  const settings = draft ?? saved;
  const mayUpdate = disabledUnless(flag.can, 'update');
  const change = (part: Partial<Draft>) =>
    setDraft({
      enabled: settings.enabled,
      value: settings.value,
      rules: settings.rules,
      basedOn: draft?.basedOn ?? saved.version,
      ...part,
    });
  const save = async () => {
    if (!draft) return;
    try {
      await update.send({ params: { ...place, flag: flag.name }, body: { ...draft, comment } });
      toast.success(`${flag.name} is saved for ${place.env}`);
      setDraft(undefined);
      setComment('');
      await refresh({ kind: 'flag', app: place.app });
    } catch (error) {
      toastError(`${flag.name} was not saved`, error);
    }
  };
  return (
    <Panel aria-labelledby="flag">
      <PanelHead title={flag.name} titleId="flag" note={typeLabels[flag.type]}>
        <Switch
          label={settings.enabled ? 'On' : 'Off'}
          checked={settings.enabled}
          disabled={mayUpdate.disabledReason !== undefined}
          onChange={(event) => change({ enabled: event.target.checked })}
        />
        <FlagMenu place={place} flag={flag} />
      </PanelHead>
      <PanelBody className="stack">
        {flag.stale && <Notice tone="warn">{staleText[flag.stale]}. It may be possible to remove it from the code.</Notice>}
        {flag.isArchived && <Notice>This flag is archived. SDKs use the fallback in the code.</Notice>}
        {!settings.enabled && <Notice>Off in {place.env}: SDKs use the fallback in the code.</Notice>}
        {flag.description !== '' && <p>{flag.description}</p>}
        <Details
          items={[
            {
              label: 'Last change',
              value: (
                <span>
                  {saved.changedBy.displayName}, <RelativeTime at={saved.changedAt} isShort />
                </span>
              ),
            },
            {
              label: 'Last request',
              value: flag.lastRequestedAt === null ? 'None yet' : <RelativeTime at={flag.lastRequestedAt} isShort />,
            },
            { label: 'Needed by', value: flag.dependents.length === 0 ? 'No other flag' : flag.dependents.join(', ') },
          ]}
        />
      </PanelBody>
      <RuleList
        place={place}
        flag={flag}
        rules={settings.rules}
        onChange={(rules) => change({ rules })}
        disabledReason={mayUpdate.disabledReason}
      />
      <PanelBody>
        <ValueField label="Otherwise" type={flag.type} value={settings.value} onChange={(value) => change({ value })} />
      </PanelBody>
      {draft && (
        <PanelFoot className="stack stack-12">
          {draft.basedOn !== saved.version && (
            <Notice tone="warn" isLive>
              {saved.changedBy.displayName} saved version {saved.version} meanwhile. Discard your changes to see it.
            </Notice>
          )}
          <Field label="Why" labelNote="optional">
            <Input value={comment} maxLength={300} onChange={(event) => setComment(event.target.value)} />
          </Field>
          <div className={css.buttons}>
            <Button variant="primary" isBusy={update.isBusy} busyLabel="Saving" onClick={() => void save()}>
              Save for {place.env}
            </Button>
            <Button onClick={() => setDraft(undefined)}>Discard</Button>
          </div>
        </PanelFoot>
      )}
      <UnsavedGuard isDirty={draft !== undefined} />
    </Panel>
  );
}

function FlagMenu({ place, flag }: { place: FlagPlace; flag: Flag }) {
  const update = useWrite(flagUpdate);
  const remove = useWrite(flagDelete);
  const navigate = useNavigate();
  const params = { app: place.app, flag: flag.name };
  const archive = async () => {
    const isArchived = !flag.isArchived;
    try {
      await update.send({ params, body: { isArchived } });
      toast.success(`${flag.name} is ${isArchived ? 'archived' : 'active again'}`);
      await refresh({ kind: 'flag', app: place.app });
    } catch (error) {
      toastError(`${flag.name} was not ${isArchived ? 'archived' : 'unarchived'}`, error);
    }
  };
  return (
    <Menu
      trigger={<IconButton size="sm" label={`More actions for ${flag.name}`} icon={<Ellipsis aria-hidden="true" />} />}
      items={[
        {
          label: flag.isArchived ? 'Unarchive flag' : 'Archive flag',
          icon: <Archive aria-hidden="true" />,
          onSelect: () => void archive(),
          ...disabledUnless(flag.can, flag.isArchived ? 'update' : 'archive'),
        },
        'line',
        {
          label: 'Delete flag',
          icon: <Trash2 aria-hidden="true" />,
          isDanger: true,
          ...disabledUnless(flag.can, 'delete'),
          onSelect: () =>
            confirmAction({
              title: `Delete ${flag.name}?`,
              description: 'Its rules and history are deleted in both environments. SDKs use the fallback in the code.',
              confirmLabel: `Delete ${flag.name}`,
              busyLabel: 'Deleting',
              run: async () => {
                await remove.send({ params });
                toast.success(`${flag.name} is deleted`);
                await navigate(paths.flags(place));
                await refresh({ kind: 'flag', app: place.app });
              },
            }),
        },
      ]}
    />
  );
}
