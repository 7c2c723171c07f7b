// Actions behind a button. A disabled action stays in the list and focusable, with the reason below its label.
import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Kbd } from '../text/Kbd.tsx';
import { Link } from '../layout/Link.tsx';
import css from './Menu.module.css';
import popup from './Popup.module.css';

export interface MenuAction {
  label: string;
  icon?: ReactNode;
  /** Either `href` for a link or `onSelect` for an action. */
  href?: string;
  onSelect?: () => void;
  /** For a link: called before it is followed. */
  onOpen?: () => void;
  /** Shortcut shown at the right ("R", "G L"). */
  keys?: string;
  isDanger?: boolean;
  disabledReason?: string;
  /** Replaces icon and label in rows with more content; `label` is then used for typeahead. */
  content?: ReactNode;
}

/** `'line'` separates; `{ heading }` names what follows. */
export type MenuItem = MenuAction | 'line' | { heading: ReactNode };

function ItemContent({ item }: { item: MenuAction }) {
  if (item.content !== undefined) return item.content;
  return (
    <>
      {item.icon !== undefined && <span className={css.icon}>{item.icon}</span>}
      <span>
        {item.label}
        {item.disabledReason !== undefined && <span className={css.reason}>{item.disabledReason}</span>}
      </span>
      {item.keys !== undefined && (
        <span className="push" aria-hidden="true">
          <Kbd keys={item.keys} />
        </span>
      )}
    </>
  );
}

function Item({ item }: { item: MenuItem }) {
  if (item === 'line') return <Base.Separator className={popup.separator} />;
  if ('heading' in item) return <div className={css.heading}>{item.heading}</div>;
  const look = classNames(
    popup.item,
    item.isDanger && css.danger,
    item.disabledReason !== undefined && css.off,
    item.content !== undefined && css.rich,
  );
  if (item.href !== undefined && item.disabledReason === undefined) {
    return (
      <Base.LinkItem className={look} label={item.label} closeOnClick onClick={item.onOpen} render={<Link href={item.href} />}>
        <ItemContent item={item} />
      </Base.LinkItem>
    );
  }
  return (
    <Base.Item className={look} label={item.label} disabled={item.disabledReason !== undefined} onClick={item.onSelect}>
      <ItemContent item={item} />
    </Base.Item>
  );
}

function Popup({ items, align = 'end' }: { items: MenuItem[]; align?: 'start' | 'end' }) {
  return (
    <Base.Portal>
      <Base.Positioner className={popup.positioner} sideOffset={4} align={align}>
        <Base.Popup className={classNames(popup.popup, css.popup)}>
          {items.map((item, index) => (
            <Item key={index} item={item} />
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

export interface MenuProps {
  /** The button: a Button, IconButton or Pipes. */
  trigger: ReactElement<Record<string, unknown>>;
  items: MenuItem[];
  align?: 'start' | 'end';
  /** Opens on mount, because the user pressed the button before the menu was loaded. */
  isInitiallyOpen?: boolean;
}

export function Menu({ trigger, items, align, isInitiallyOpen = false }: MenuProps) {
  return (
    <Base.Root defaultOpen={isInitiallyOpen}>
      <Base.Trigger render={trigger} />
      <Popup items={items} align={align} />
    </Base.Root>
  );
}

export type MenuHandle<Row> = Base.Handle<Row>;

/** One menu for all rows of a table: create a handle outside the component, give it to RowMenu once and to every trigger. */
export function createMenuHandle<Row>(): MenuHandle<Row> {
  return Base.createHandle<Row>();
}

export function MenuTrigger<Row>({
  handle,
  row,
  render,
}: {
  handle: MenuHandle<Row>;
  row: Row;
  render: ReactElement<Record<string, unknown>>;
}) {
  return <Base.Trigger handle={handle} payload={row} render={render} />;
}

export function RowMenu<Row>({ handle, itemsOf }: { handle: MenuHandle<Row>; itemsOf: (row: Row) => MenuItem[] }) {
  return <Base.Root handle={handle}>{({ payload }) => <Popup items={payload === undefined ? [] : itemsOf(payload as Row)} />}</Base.Root>;
}
