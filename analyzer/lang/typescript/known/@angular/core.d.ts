// What Angular's functions keep of what they are given. Written for kg.
export class InjectionToken<T> { constructor(description: string, options?: { providedIn?: any; factory: () => T }); }
export class Injector {
  get<T>(token: (new (...given: any[]) => T) | InjectionToken<T>, otherwise?: any, options?: any): T;
}
export interface Signal<T> { (): T; }
export interface WritableSignal<T> extends Signal<T> { set(value: T): void; update(make: (value: T) => T): void; asReadonly(): Signal<T>; }

export function inject<T>(token: new (...given: any[]) => T, options?: any): T;
export function inject<T>(token: InjectionToken<T>, options?: any): T;
export function signal<T>(value: T, options?: any): WritableSignal<T>;
export function computed<T>(make: () => T, options?: any): Signal<T>;
export function linkedSignal<T>(make: () => T, options?: any): WritableSignal<T>;
export function untracked<T>(read: () => T): T;
export function runInInjectionContext<T>(injector: any, run: () => T): T;
export function assertInInjectionContext(f: any): void;
