// What Vue's functions keep of what they are given. Written for kg.
export interface Ref<T> { value: T; }
export interface ShallowRef<T> extends Ref<T> {}
export interface ComputedRef<T> extends Ref<T> { readonly value: T; }
export interface WritableComputedRef<T> extends Ref<T> {}
export interface InjectionKey<T> { description?: string; }

export function ref<T>(): Ref<T | undefined>;
export function ref<T>(value: T): Ref<T>;
export function shallowRef<T>(): ShallowRef<T | undefined>;
export function shallowRef<T>(value: T): ShallowRef<T>;
export function computed<T>(get: () => T): ComputedRef<T>;
export function computed<T>(accessors: { get: () => T; set: (value: T) => void }): WritableComputedRef<T>;
export function reactive<T>(object: T): T;
export function shallowReactive<T>(object: T): T;
export function readonly<T>(object: T): T;
export function shallowReadonly<T>(object: T): T;
export function markRaw<T>(object: T): T;
export function toRaw<T>(object: T): T;
export function unref<T>(value: T | Ref<T>): T;
export function inject<T>(key: InjectionKey<T> | string): T;
export function inject<T>(key: InjectionKey<T> | string, value: T | (() => T), factory?: boolean): T;
