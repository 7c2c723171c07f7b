/**
 * A menu on the first screen. Its code comes when the page stands, or with the pointer, the focus or the press that wants it: then the
 * button waits for it, and the menu opens by itself.
 */
import type { MenuProps } from '@slipway/ui/overlay/Menu.tsx';
import { cloneElement, useEffect, useEffectEvent, useRef, useState, type ComponentType } from 'react';
import { whenPageReady } from './page-ready.ts';

type MenuComponent = ComponentType<MenuProps>;
let loaded: MenuComponent | undefined;
const load = async (): Promise<MenuComponent> => (loaded ??= (await import('@slipway/ui/overlay/Menu.tsx')).Menu);

export function LazyMenu({ trigger, ...props }: MenuProps) {
  const [Menu, setMenu] = useState(() => loaded);
  const [isWanted, setWanted] = useState(false);
  const [button, setButton] = useState<HTMLElement | null>(null);
  const hadFocus = useRef(false);
  const fetchMenu = useEffectEvent(() => {
    load().then(
      (component) => {
        // Another element takes the button's place, and must have its focus, too.
        hadFocus.current = button !== null && document.activeElement === button;
        setMenu(() => component);
      },
      () => undefined,
    );
  });
  useEffect(() => (Menu ? undefined : whenPageReady(fetchMenu)), [Menu]);
  useEffect(() => {
    if (!Menu || !hadFocus.current || !button?.isConnected) return;
    hadFocus.current = false;
    button.focus();
  }, [Menu, button]);
  useEffect(() => {
    if (isWanted) fetchMenu();
  }, [isWanted]);
  if (Menu) return <Menu {...props} trigger={cloneElement(trigger, { ref: setButton })} isInitiallyOpen={isWanted} />;
  const want = (): void => void load().catch(() => undefined);
  return cloneElement(trigger, {
    ref: setButton,
    'aria-haspopup': 'menu',
    onPointerEnter: want,
    onFocus: want,
    onClick: () => setWanted(true),
  });
}
