/** The keys of a group's newest version beside those of the other environment. Contains no values; each is revealed separately. */
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { useCallback, useState } from 'react';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { Masked, Present, StateWord } from '#features/secrets/EnvironmentCells.tsx';
import { ExpiryDialog } from './ExpiryDialog.tsx';
import css from './KeysPanel.module.css';
import { rowsOf, type KeyRow } from './key-rows.ts';
import { RevealDialog } from './RevealDialog.tsx';
import { expiryLook, isThere } from '#features/secrets/secret-labels.ts';
import type { GroupPlace, OtherEnvironment } from '#features/secrets/use-group.ts';
import { rowActions } from '#kit/list/columns.tsx';

const defaults = { differences: '' };

interface Reasons {
  reveal: string | undefined;
  update: string | undefined;
}
interface Open {
  key: string;
  what: 'reveal' | 'expiry';
}

const environmentColumns = (other: OtherEnvironment): Column<KeyRow>[] => [
  {
    key: 'development',
    header: `Development, version ${other.development}`,
    cell: ({ state }) => <Present isPresent={isThere(state ?? 'SAME', 'development')} />,
  },
  {
    key: 'production',
    header: `Production, version ${other.production}`,
    cell: ({ state }) => <Present isPresent={isThere(state ?? 'SAME', 'production')} />,
  },
  { key: 'result', header: 'Result', cell: ({ state }) => (state ? <StateWord state={state} /> : null) },
];
const valueColumns: Column<KeyRow>[] = [
  { key: 'value', header: 'Value', cell: () => <Masked /> },
  { key: 'size', header: 'Size', cell: ({ own }) => <span className="num quiet">{own ? bytes(own.sizeBytes) : ''}</span> },
];

interface Shown {
  other: OtherEnvironment | undefined;
  /** True if a service reads the group. Keys that no service reads are then marked. */
  isRead: boolean;
  reasons: Reasons;
  newVersion: string;
  onOpen: (open: Open) => void;
}

const columnsFor = ({ other, isRead, reasons, newVersion, onOpen }: Shown): Column<KeyRow>[] => [
  {
    key: 'key',
    header: 'Key',
    cell: ({ key, own }) => (
      <span className={css.key}>
        <span className="mono strong">{key}</span>
        {isRead && own?.isUnused && <Tag>Unused</Tag>}
      </span>
    ),
  },
  ...(other ? environmentColumns(other) : valueColumns),
  {
    key: 'expiry',
    header: 'Last day',
    cell: ({ own, key }) => own && <Expiry own={own} name={key} reason={reasons.update} onOpen={onOpen} />,
  },
  {
    ...rowActions,
    cell: ({ own, key }) =>
      own ? (
        <Button
          size="sm"
          variant="quiet"
          aria-label={`Reveal ${key}`}
          onClick={() => onOpen({ key, what: 'reveal' })}
          {...(reasons.reveal === undefined ? {} : { disabledReason: reasons.reveal })}
        >
          Reveal
        </Button>
      ) : (
        reasons.update === undefined && (
          <LinkButton size="sm" variant="quiet" aria-label={`Add ${key} in a new version`} href={newVersion}>
            Add
          </LinkButton>
        )
      ),
  },
];

function Expiry(props: { own: NonNullable<KeyRow['own']>; name: string; reason: string | undefined; onOpen: (open: Open) => void }) {
  const { own, name, reason, onOpen } = props;
  const look = expiryLook(own);
  const words = look ? look.tone === 'off' ? look.word : <Status tone={look.tone}>{look.word}</Status> : <span className="meta">None</span>;
  if (reason !== undefined) return words;
  return (
    <Button
      size="sm"
      variant="quiet"
      className={css.expiry}
      aria-label={`Last day of ${name}: ${look?.word ?? 'none'}`}
      onClick={() => onOpen({ key: name, what: 'expiry' })}
    >
      {words}
    </Button>
  );
}

export interface KeysPanelProps {
  place: GroupPlace;
  group: SecretGroup | undefined;
  other: OtherEnvironment | undefined;
  team: string;
}

export function KeysPanel({ place, group, other, team }: KeysPanelProps) {
  const { state, set } = useUrlState(defaults);
  const [open, setOpen] = useState<Open>();
  const close = useCallback(() => setOpen(undefined), []);
  const isOnlyDifferent = other !== undefined && state.differences !== '';
  const reasons = { reveal: reasonOf(group?.can, 'reveal', { team }), update: reasonOf(group?.can, 'update', { team }) };
  const rows = group ? rowsOf(group.keys, other, isOnlyDifferent) : [];
  return (
    <Panel aria-labelledby="group-keys">
      <PanelHead title="Keys" titleId="group-keys" note="Values stay hidden">
        {other && (
          <Checkbox
            label="Only differences"
            checked={isOnlyDifferent}
            onChange={(event) => set({ differences: event.target.checked ? 'only' : '' }, { replace: true })}
          />
        )}
      </PanelHead>
      <Table
        label="Keys"
        phone="flow"
        columns={columnsFor({
          other,
          isRead: (group?.services.length ?? 0) > 0,
          reasons,
          newVersion: paths.secretGroup(place, 'new-version'),
          onOpen: setOpen,
        })}
        rows={rows}
        rowKey={({ key }) => key}
        isLoading={!group}
        empty={<NoKeys isOnlyDifferent={isOnlyDifferent} />}
      />
      {group && open?.what === 'reveal' && <RevealDialog place={place} secretKey={open.key} version={group.version} onClose={close} />}
      {group && open?.what === 'expiry' && (
        <ExpiryDialog
          place={place}
          secretKey={open.key}
          was={group.keys.find(({ key }) => key === open.key)?.expiresAt ?? null}
          onClose={close}
        />
      )}
    </Panel>
  );
}

function NoKeys({ isOnlyDifferent }: { isOnlyDifferent: boolean }) {
  return isOnlyDifferent ? (
    <EmptyState kind="no-match" title="Nothing differs" isCompact>
      Every key is in both environments, with the same value.
    </EmptyState>
  ) : (
    <EmptyState kind="first-use" title="This version has no keys" isCompact>
      A new version can add some.
    </EmptyState>
  );
}
