/** Lists all shortcuts, those of the current page first. Single-key shortcuts can be turned off here. */
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Kbd } from '@slipway/ui/text/Kbd.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { useId } from 'react';
import { useStore } from '#kit/state/store.ts';
import { closeOverlay, hasSingleKeys } from './palette-state.ts';
import { environmentLinks, placeLinks } from './place-links.ts';
import css from './ShortcutSheet.module.css';
import { usePlace } from './use-place.ts';

interface Shortcut {
  keys: string;
  what: string;
}

const anywhere: Shortcut[] = [
  { keys: 'Mod K', what: 'Search or jump to' },
  { keys: '/', what: 'Filter this page, or search' },
  { keys: '?', what: 'These shortcuts' },
  { keys: 'Esc', what: 'Close, or go one page up' },
];
const onService: Shortcut[] = [
  { keys: 'G R', what: 'Revisions' },
  { keys: 'G P', what: 'Pipelines' },
  { keys: 'G L', what: 'Logs' },
  { keys: 'G A', what: 'Activity logs' },
  { keys: '[', what: 'Production' },
  { keys: ']', what: 'Development' },
];
const elsewhere: Shortcut[] = [
  { keys: 'Mod Enter', what: 'Send the form' },
  { keys: 'J', what: 'Next line of the log' },
  { keys: 'K', what: 'Previous line of the log' },
];

/** Returns the shortcuts of the current page, or those of a service if the page has none. */
const useHere = (): { title: string; shortcuts: Shortcut[] } => {
  const place = usePlace();
  const here = [
    ...placeLinks(place).flatMap(({ letter, label }) => (letter === undefined ? [] : [{ keys: `G ${letter}`, what: label }])),
    ...environmentLinks().map(({ key, label }) => ({ keys: key, what: label })),
  ];
  return here.length > 0 ? { title: 'On this page', shortcuts: here } : { title: 'On a service', shortcuts: onService };
};

function List({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className={css.title}>
        {title}
      </h3>
      <dl className={css.list}>
        {shortcuts.map(({ keys, what }) => (
          <div key={keys} className={css.row}>
            <dt>{what}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function ShortcutSheet({ isOpen, onClosed }: { isOpen: boolean; onClosed: () => void }) {
  const { title, shortcuts } = useHere();
  const areOn = useStore(hasSingleKeys);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={closeOverlay}
      onClosed={onClosed}
      hasClose
      size="lg"
      title="Keyboard shortcuts"
      description="They are ignored while you type."
      footNote={
        <Switch label="Use shortcuts without Ctrl or ⌘" checked={areOn} onChange={(event) => hasSingleKeys.set(event.target.checked)} />
      }
    >
      <div className={css.columns}>
        <List title="Anywhere" shortcuts={anywhere} />
        <List title={title} shortcuts={shortcuts} />
        <List title="While working" shortcuts={elsewhere} />
      </div>
    </Dialog>
  );
}
