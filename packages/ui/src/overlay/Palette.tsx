// Command palette: a search field with grouped results. Arrow keys move, Enter opens, Mod Enter opens in a new tab.
// The caller supplies the results; this file handles appearance and keyboard.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search, X } from 'lucide-react';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import dialog from './Dialog.module.css';
import { classNames } from '../class-names.ts';
import { Kbd } from '../text/Kbd.tsx';
import { Link } from '../layout/Link.tsx';
import css from './Palette.module.css';

export interface PaletteItem {
  /** Unique across all groups. */
  key: string;
  label: string;
  /** Matched parts of the label as sorted [from, to) ranges. */
  found?: readonly (readonly [from: number, to: number])[];
  /** An icon or a StatusIcon. */
  icon: ReactNode;
  note?: string;
  /** Its shortcut outside the palette ("G L"). */
  keys?: string;
  isMono?: boolean;
  /** Either `href` for a link or `onSelect` for an action. */
  href?: string;
  onSelect?: () => void;
}

export interface PaletteGroup {
  label: string;
  items: readonly PaletteItem[];
}

export interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
  /** Called after the closing animation. */
  onClosed?: () => void;
  label: string;
  groups: readonly PaletteGroup[];
  query: string;
  onQuery: (query: string) => void;
  /** Replaces the results if nothing matches or the search failed. */
  empty?: ReactNode;
  /** Shown below incomplete results, with the reason. */
  remark?: ReactNode;
  isSearching?: boolean;
}

function Label({ label, found = [], isMono }: Pick<PaletteItem, 'label' | 'found' | 'isMono'>) {
  const parts = found.flatMap(([from, to], index) => [
    label.slice(found[index - 1]?.[1] ?? 0, from),
    <mark key={from} className={css.found}>
      {label.slice(from, to)}
    </mark>,
  ]);
  return <span className={classNames(css.label, isMono && 'mono')}>{[...parts, label.slice(found.at(-1)?.[1] ?? 0)]}</span>;
}

function Row({ item, onChosen }: { item: PaletteItem; onChosen: (item: PaletteItem) => void }) {
  return (
    <Autocomplete.Item
      value={item}
      className={css.item}
      {...(item.href === undefined ? {} : { render: <Link href={item.href} /> })}
      onClick={(event) => {
        // A click that opens a new tab does not close the palette.
        if (!event.metaKey && !event.ctrlKey && !event.shiftKey) onChosen(item);
      }}
    >
      <span className={css.icon}>{item.icon}</span>
      <Label {...item} />
      {(item.note !== undefined || item.keys !== undefined) && (
        <span className={css.note}>
          {item.note !== undefined && <span className="ell">{item.note}</span>}
          {item.keys !== undefined && (
            <span className="only-wide" aria-hidden="true">
              <Kbd keys={item.keys} />
            </span>
          )}
        </span>
      )}
    </Autocomplete.Item>
  );
}

function Foot() {
  return (
    <div className={css.foot} aria-hidden="true">
      <span>
        <Kbd keys="↑ ↓" /> move
      </span>
      <span>
        <Kbd keys="Enter" /> open
      </span>
      <span>
        <Kbd keys="Mod Enter" /> in a new tab
      </span>
      <span className="push">
        <Kbd keys=">" /> actions only
      </span>
    </div>
  );
}

function Field({ label, onKeyDown }: { label: string; onKeyDown: (event: KeyboardEvent) => void }) {
  return (
    <div className={css.field}>
      <Search aria-hidden="true" />
      <Autocomplete.Input className={css.input} aria-label={label} placeholder={label} spellCheck={false} onKeyDown={onKeyDown} />
      <Dialog.Close className={css.close} aria-label="Esc: close">
        <span className="only-wide">
          <Kbd keys="Esc" />
        </span>
        <X className="only-phone" aria-hidden="true" />
      </Dialog.Close>
    </div>
  );
}

/** Mount it when needed: it opens with its first render and takes the focus. */
export function Palette({ isOpen, onClose, onClosed, label, groups, query, onQuery, empty, remark, isSearching = false }: PaletteProps) {
  const highlighted = useRef<PaletteItem>(undefined);
  const input = useRef<HTMLDivElement>(null);
  const choose = (item: PaletteItem): void => {
    onClose();
    item.onSelect?.();
  };
  const openInTab = (event: KeyboardEvent): void => {
    const href = highlighted.current?.href;
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || href === undefined) return;
    event.preventDefault();
    window.open(href, '_blank', 'noopener');
  };
  const hasItems = groups.some(({ items }) => items.length > 0);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()} onOpenChangeComplete={(open) => !open && onClosed?.()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.scrim} />
        <Dialog.Viewport className={classNames(dialog.viewport, css.viewport)}>
          <Dialog.Popup
            className={classNames(dialog.dialog, css.palette)}
            aria-label={label}
            initialFocus={() => input.current?.querySelector('input') ?? true}
            ref={input}
          >
            <Autocomplete.Root
              open
              inline
              mode="none"
              items={groups}
              itemToStringValue={(item: PaletteItem) => item.label}
              value={query}
              onValueChange={(value, { reason }) => reason !== 'item-press' && onQuery(value)}
              autoHighlight="always"
              keepHighlight
              onItemHighlighted={(item: PaletteItem | undefined) => (highlighted.current = item)}
            >
              <Field label={label} onKeyDown={openInTab} />
              <Autocomplete.Status className="sr">{isSearching ? 'Searching' : hasItems ? '' : 'Nothing found'}</Autocomplete.Status>
              {!hasItems && <div className={css.empty}>{isSearching ? 'Searching…' : empty}</div>}
              <Autocomplete.List className={css.list} aria-label="Results">
                {(group: PaletteGroup) => (
                  <Autocomplete.Group key={group.label} items={group.items} className={css.group}>
                    <Autocomplete.GroupLabel className={css.heading}>{group.label}</Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(item: PaletteItem) => <Row key={item.key} item={item} onChosen={choose} />}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
              {hasItems && remark !== undefined && <div className={css.remark}>{remark}</div>}
              <Foot />
            </Autocomplete.Root>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
