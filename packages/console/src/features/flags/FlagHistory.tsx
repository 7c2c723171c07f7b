/** Versions of a flag in one environment, with what changed, and a way back. */
import { flagVersionList, flagVersionRestore, type Flag, type FlagSettings } from '@slipway/contract/flag/flag.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { rowActions } from '#kit/list/columns.tsx';
import { ruleAnswer, ruleTitle, valueText } from './flag-labels.ts';
import type { FlagPlace } from './flag-labels.ts';

/** Lists what differs from the version before. */
export const changesOf = (version: FlagSettings, before: FlagSettings | undefined): string => {
  if (!before) return 'Created';
  const was = new Map(before.rules.map((rule) => [rule.id, rule]));
  const is = new Set(version.rules.map(({ id }) => id));
  const text = JSON.stringify;
  const changes = [
    ...(version.enabled === before.enabled ? [] : [version.enabled ? 'Turned on' : 'Turned off']),
    ...(text(version.value) === text(before.value) ? [] : [`Otherwise ${valueText(before.value)} → ${valueText(version.value)}`]),
    ...version.rules.flatMap((rule) => {
      const former = was.get(rule.id);
      if (!former) return [`Added: ${ruleTitle(rule)} → ${ruleAnswer(rule)}`];
      if (text(former) === text(rule)) return [];
      return former.percentage === rule.percentage
        ? [`Changed: ${ruleTitle(rule)}`]
        : [`Share ${former.percentage} → ${rule.percentage} %`];
    }),
    ...before.rules.filter(({ id }) => !is.has(id)).map((rule) => `Removed: ${ruleTitle(rule)}`),
  ];
  if (changes.length > 0) return changes.join('. ');
  return text(version.rules) === text(before.rules) ? 'No change' : 'Rules reordered';
};

export function FlagHistory({ place, flag }: { place: FlagPlace; flag: Flag }) {
  const list = useQuery(flagVersionList, { params: { ...place, flag: flag.name }, query: { size: 20 } });
  const restore = useWrite(flagVersionRestore);
  const versions = list.data?.content ?? [];
  const newest = flag[place.env].version;
  const columns: Column<FlagSettings>[] = [
    { key: 'version', header: 'Version', phone: 'title', cell: ({ version }) => version },
    {
      key: 'change',
      header: 'Change',
      phone: 'meta',
      cell: (one) => (
        <>
          <div>{changesOf(one, versions[versions.indexOf(one) + 1] ?? (one.version > 1 ? one : undefined))}</div>
          {one.comment !== '' && <div className="meta">“{one.comment}”</div>}
        </>
      ),
    },
    { key: 'who', header: 'Saved by', phone: 'extra', cell: ({ changedBy }) => changedBy.displayName },
    { key: 'when', header: 'When', phone: 'end', cell: ({ changedAt }) => <RelativeTime at={changedAt} isShort /> },
    {
      ...rowActions,
      phone: 'action',
      cell: ({ version }) =>
        version === newest ? (
          <Status tone="ok">In force</Status>
        ) : (
          <Button
            size="sm"
            aria-label={`Restore version ${version}`}
            {...disabledUnless(flag.can, 'update')}
            onClick={() =>
              confirmAction({
                title: `Restore version ${version} of ${flag.name}?`,
                description: `Its rules become version ${newest + 1} in ${place.env}, and reach clients at once.`,
                confirmLabel: `Restore version ${version}`,
                busyLabel: 'Restoring',
                variant: 'primary',
                run: async () => {
                  await restore.send({ params: { ...place, flag: flag.name, version: String(version) }, body: { basedOn: newest } });
                  toast.success(`Version ${version} is restored`);
                  await refresh({ kind: 'flag', app: place.app });
                },
              })
            }
          >
            Restore
          </Button>
        ),
    },
  ];
  return (
    <ListPanel
      label="History"
      plural="versions"
      list={list}
      head={{ title: 'History', note: place.env }}
      columns={columns}
      rows={versions}
      rowKey={({ version }) => String(version)}
    />
  );
}
