// Behavior of components in a document that every page relies on.
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Button } from './form/Button.tsx';
import { Field } from './form/Field.tsx';
import { IconButton } from './form/IconButton.tsx';
import { Input } from './form/Input.tsx';
import { Link, type LinkProps, LinkProvider } from './layout/Link.tsx';
import { loadToasts } from './overlay/load-toasts.ts';
import { Loading } from './feedback/Loading.tsx';
import { type LogLine, LogView } from './text/LogView.tsx';
import { RadioCards } from './form/RadioCards.tsx';
import { RelativeTime } from './text/RelativeTime.tsx';
import { SearchInput } from './form/SearchInput.tsx';
import { Table } from './list/Table.tsx';
import { toast } from './overlay/toast.ts';
import { Tooltip } from './overlay/Tooltip.tsx';
import { UiProvider } from './layout/UiProvider.tsx';
import { setTheme } from './use-theme.ts';

let root: Root;
let box: HTMLElement;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  box = document.body.appendChild(document.createElement('div'));
  root = createRoot(box);
});

afterEach(async () => {
  await act(() => root.unmount());
  box.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const show = (node: ReactNode) => act(() => root.render(node));
const find = <E extends Element = HTMLElement>(selector: string) => {
  const found = box.querySelector<E>(selector);
  if (!found) throw new Error(`Nothing matches ${selector} in ${box.innerHTML}`);
  return found;
};
const describedWords = (element: Element) =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent)
    .join(' ');

test('a disabled button keeps focus, tells why and does nothing', async () => {
  const press = vi.fn();
  await show(
    <Button onClick={press} disabledReason="A change is being applied">
      Apply
    </Button>,
  );
  const button = find('button');
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(button.hasAttribute('disabled')).toBe(false);
  expect(describedWords(button)).toBe('A change is being applied');
  await act(() => button.click());
  expect(press).not.toHaveBeenCalled();
});

test('a busy button keeps its label and swallows a second submit', async () => {
  const submit = vi.fn((event: SubmitEvent) => event.preventDefault());
  box.addEventListener('submit', submit as never);
  await show(
    <form>
      <Button type="submit" isBusy busyLabel="Saving">
        Save
      </Button>
    </form>,
  );
  expect(find('button').textContent).toBe('Saving…');
  await act(() => find('button').click());
  expect(submit).not.toHaveBeenCalled();
});

test('a field ties label, error, was and hint to its control', async () => {
  await show(
    <Field label="Memory" hint="Per instance" error="Too little" was="was 768 MB">
      <Input defaultValue="1" />
    </Field>,
  );
  const input = find<HTMLInputElement>('input');
  expect(find<HTMLLabelElement>('label').htmlFor).toBe(input.id);
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(describedWords(input)).toBe('Too little was 768 MB Per instance');
});

function RoutedLink({ children, ...rest }: LinkProps) {
  return (
    <a data-routed {...rest}>
      {children}
    </a>
  );
}

test('links go through the router, but other sites, files and anchors do not', async () => {
  await show(
    <LinkProvider component={RoutedLink}>
      <Link href="/apps">in</Link>
      <Link href="https://example.com">out</Link>
      <Link href="#L4">anchor</Link>
      <Link href="/export.csv" download="">
        file
      </Link>
    </LinkProvider>,
  );
  expect([...box.querySelectorAll('a')].map((a) => [a.textContent, a.hasAttribute('data-routed'), a.rel])).toEqual([
    ['in', true, ''],
    ['out', false, 'noreferrer'],
    ['anchor', false, ''],
    ['file', false, ''],
  ]);
});

const page = (isLoading: boolean) => (
  <Loading isLoading={isLoading} skeleton={<i />}>
    data
  </Loading>
);

test('a placeholder waits 150 ms and then stays 300 ms', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  await show(page(true));
  await pass(149);
  expect(box.textContent).toBe('');
  await pass(1);
  expect(box.textContent).toBe('Loading');
  await pass(50);
  await show(page(false));
  await pass(249);
  expect(box.textContent).toBe('Loading');
  await pass(1);
  expect(box.textContent).toBe('data');
});

test('says after 3 s that loading is slow, in a placeholder and in a table', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await show(
    <>
      {page(true)}
      <Table
        label="Apps"
        columns={[{ key: 'name', header: 'Name', cell: (row: string) => row }]}
        rows={[]}
        rowKey={(row) => row}
        isLoading
      />
    </>,
  );
  await act(() => vi.advanceTimersByTimeAsync(2999));
  expect(box.textContent).not.toContain('Still loading');
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(box.textContent.match(/Still loading/g)).toHaveLength(2);
});

test('a fast answer shows no placeholder at all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await show(page(true));
  await act(() => vi.advanceTimersByTimeAsync(140));
  await show(page(false));
  expect(box.textContent).toBe('data');
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(box.textContent).toBe('data');
});

test('a table sorts by its headers and shows the empty state only when it is loaded', async () => {
  const onSort = vi.fn();
  const columns = [{ key: 'name', header: 'Name', isSortable: true, cell: (row: string) => row }];
  const table = (rows: string[], isLoading = false) => (
    <Table
      label="Apps"
      columns={columns}
      rows={rows}
      rowKey={(row) => row}
      sort={{ key: 'name', isDescending: false }}
      onSort={onSort}
      isLoading={isLoading}
      empty={<p>none</p>}
    />
  );
  await show(table([], true));
  expect(box.textContent).not.toContain('none');
  await show(table([]));
  expect(box.textContent).toBe('none');
  await show(table(['crane']));
  expect(find('th').getAttribute('aria-sort')).toBe('ascending');
  await act(() => find('th button').click());
  expect(onSort).toHaveBeenCalledWith({ key: 'name', isDescending: true });
});

test('times tick', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-20T14:00:00Z') });
  await show(<RelativeTime at="2026-11-20T13:59:50Z" />);
  expect(box.textContent).toBe('10 s ago');
  await act(() => vi.advanceTimersByTimeAsync(3000));
  expect(box.textContent).toBe('13 s ago');
  expect(find('time').getAttribute('datetime')).toBe('2026-11-20T13:59:50.000Z');
});

test('slash jumps into the search, but is typed where one types', async () => {
  await show(
    <>
      <SearchInput label="Filter apps" value="" onChange={() => undefined} hasShortcut />
      <textarea />
    </>,
  );
  const search = find('input');
  const slash = () => new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true });
  find('textarea').focus();
  await act(() => find('textarea').dispatchEvent(slash()));
  expect(document.activeElement).not.toBe(search);
  await act(() => document.body.dispatchEvent(slash()));
  expect(document.activeElement).toBe(search);
});

test('the same message counts instead of piling up, and failures stay', async () => {
  await show(<UiProvider link={RoutedLink}>page</UiProvider>);
  await act(() => {
    toast.failure('It failed.', { traceId: '7f3c' });
    toast.failure('It failed.', { traceId: '7f3d' });
  });
  const cards = () => [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')];
  // The toast component is loaded with the first message.
  await act(async () => void (await loadToasts()));
  expect(cards()).toHaveLength(1);
  expect(cards()[0]?.textContent).toContain('It failed. 2×');
  expect(cards()[0]?.textContent).toContain('Trace Id: 7f3d');
  // Everything is reachable, so nothing is hidden from screen readers.
  expect(cards()[0]?.closest('[aria-hidden="true"]') ?? cards()[0]?.querySelector('button[aria-hidden="true"]')).toBeNull();
});

test('a long log renders a new line without touching the old ones', async () => {
  let rendered = 0;
  const text = (words: string) => <Counted words={words} onRender={() => (rendered += 1)} />;
  const lines: LogLine[] = Array.from({ length: 1_000 }, (_, index) => ({ key: index, number: index + 1, text: text(`line ${index}`) }));
  await show(<LogView label="Log" lines={lines} />);
  expect(rendered).toBe(1_000);
  rendered = 0;
  await show(<LogView label="Log" lines={[...lines, { key: 'new', number: 1_001, text: text('new') }]} />);
  expect(rendered).toBe(1);
});

test('a remark comes after a rest of the pointer, describes its control, and goes with Escape', async () => {
  await show(
    <Tooltip content="Copies the address">
      <button type="button">Copy</button>
    </Tooltip>,
  );
  const enter = new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' });
  await act(async () => void find('button').dispatchEvent(enter));
  expect(document.querySelector('[role=tooltip]')).toBeNull();
  await act(async () => void (await import('./overlay/TooltipPopup.tsx')));
  const remark = () => document.querySelector('[role=tooltip]');
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expect(remark()?.textContent).toBe('Copies the address');
  }, 60_000);
  expect(describedWords(find('button'))).toBe('Copies the address');
  await act(async () => void document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  expect(find('button').hasAttribute('aria-describedby')).toBe(false);
});

function Counted({ words, onRender }: { words: string; onRender: () => void }) {
  onRender();
  return words;
}

test('a chosen theme is stored and set on the document', () => {
  setTheme('dark');
  expect([localStorage.getItem('theme'), document.documentElement.dataset['theme']]).toEqual(['dark', 'dark']);
  setTheme('system');
  expect([localStorage.getItem('theme'), document.documentElement.dataset['theme']]).toEqual([null, undefined]);
});

test('a changed field says what it was, and is put back by a button that names it', async () => {
  const back = vi.fn();
  await show(
    <Field label="Memory" was="was 768 MB" onPutBack={back}>
      <Input value="1024" readOnly />
    </Field>,
  );
  expect(describedWords(find('input'))).toBe('was 768 MB');
  expect(find('button').textContent).toBe('Put back Memory');
  await act(() => find('button').click());
  expect(back).toHaveBeenCalledOnce();
});

test('cards that cannot be changed keep the one that is chosen reachable', async () => {
  const options = [
    { value: 'a', label: 'A', picture: <svg aria-hidden="true" /> },
    { value: 'b', label: 'B' },
  ];
  await show(<RadioCards legend="Strategy" options={options} value="a" onChange={vi.fn()} isReadOnly was="was B" />);
  expect([...box.querySelectorAll('input')].map(({ disabled }) => disabled)).toEqual([false, true]);
  expect(describedWords(find('fieldset'))).toBe('was B');
});

test('a long table shows so many rows of each group, and more when they are asked for', async () => {
  const rows = (from: number) => Array.from({ length: 120 }, (_, index) => `r${from + index}`);
  const columns = [{ key: 'name', header: 'Name', cell: (row: string) => row }];
  const groups = [
    { key: 'one', label: 'One', rows: rows(0) },
    { key: 'two', label: 'Two', rows: rows(1000).slice(0, 50) },
  ];
  await act(async () => root.render(<Table label="Long" columns={columns} groups={groups} rowKey={(row) => row} mostRows={50} />));
  const shown = () => [...box.querySelectorAll('td')].filter(({ textContent }) => /^r\d/.test(textContent ?? '')).length;
  const more = () => box.querySelector<HTMLElement>('tbody button');
  expect(shown()).toBe(100);
  expect(more()?.textContent).toBe('Show 50 more of 70');
  await act(async () => more()?.click());
  expect(more()?.textContent).toBe('Show 20 more of 20');
  await act(async () => more()?.click());
  expect(shown()).toBe(170);
  expect(more()).toBeNull();
});

test('an icon button gives its element to the caller, so that a menu can open beside it', async () => {
  const seen: (HTMLElement | null)[] = [];
  await show(<IconButton label="More" icon={<svg />} ref={(element) => void seen.push(element)} />);
  expect(seen).toEqual([find('button')]);
});
