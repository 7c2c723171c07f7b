/**
 * A menu on the first screen. Its code loads when the page is ready, or earlier on hover, focus or press. After a press the button waits
 * for the code, and the menu opens by itself.
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
        // The loaded menu replaces the button and must take over its focus.
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
