// What React's functions keep of what they are given. Written for kg.
export interface Context<T> { Provider: any; Consumer: any; displayName?: string; }
export interface RefObject<T> { current: T; }
export interface MutableRefObject<T> { current: T; }
export type Dispatch<A> = (value: A) => void;
export type SetStateAction<S> = S | ((previous: S) => S);

export function createContext<T>(value: T): Context<T>;
export function useContext<T>(context: Context<T>): T;
export function use<T>(context: Context<T>): T;
export function use<T>(promise: Promise<T>): T;
export function useState<S>(): [S | undefined, Dispatch<SetStateAction<S | undefined>>];
export function useState<S>(initial: S | (() => S)): [S, Dispatch<SetStateAction<S>>];
export function useReducer<S, A>(reduce: (state: S, action: A) => S, initial: S): [S, Dispatch<A>];
export function useReducer<S, A, I>(reduce: (state: S, action: A) => S, initial: I, make: (initial: I) => S): [S, Dispatch<A>];
export function useRef<T>(): RefObject<T | undefined>;
export function useRef<T>(value: T): RefObject<T>;
export function createRef<T>(): RefObject<T>;
export function useMemo<T>(make: () => T, dependencies?: any): T;
export function useCallback<T>(callback: T, dependencies?: any): T;
export function useEffectEvent<T>(callback: T): T;
export function useDeferredValue<T>(value: T, initial?: T): T;
export function useSyncExternalStore<T>(subscribe: (changed: () => void) => () => void, snapshot: () => T, onServer?: () => T): T;
export function memo<T>(component: T, same?: any): T;
export function forwardRef<T, P>(render: (props: P, ref: any) => any): (props: P) => any;
export function lazy<T>(load: () => Promise<{ default: T }>): T;
export function cache<T>(fn: T): T;
