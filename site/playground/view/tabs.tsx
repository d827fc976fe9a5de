/** Which of the two kinds of models is looked at. */
import { useRef } from 'preact/hooks';

/** The tabs. */
export type TabName = 'toy' | 'recorded';

const names: Readonly<Record<TabName, string>> = {
  toy: 'A toy model, here',
  recorded: 'Real models, recorded',
};
const order = ['toy', 'recorded'] as const satisfies readonly TabName[];

/** The tab that is shown, and who is told of another one. */
export interface TabsProps {
  readonly tab: TabName;
  readonly onTab: (tab: TabName) => void;
}

/** One stop of the keyboard; the arrow keys change the tab. Its panel is the element `tab-panel`. */
export function Tabs({ tab, onTab }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const change = () => {
    const other = tab === 'toy' ? 'recorded' : 'toy';
    onTab(other);
    list.current?.querySelector<HTMLElement>(`#tab-${other}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Which model" ref={list}>
      {order.map((each) => (
        <button
          type="button"
          key={each}
          id={`tab-${each}`}
          role="tab"
          aria-selected={each === tab}
          aria-controls="tab-panel"
          tabIndex={each === tab ? 0 : -1}
          onClick={() => onTab(each)}
          onKeyDown={({ key }) => (key === 'ArrowLeft' || key === 'ArrowRight' ? change() : undefined)}
        >
          {names[each]}
        </button>
      ))}
    </div>
  );
}
