package artifact

// encodeNames makes the section of the strings of each node that repeat or
// follow from its key: name, qualified name, language, type.
//
// A name is 0 when it is the last part of the key, else a string plus one. A
// qualified name is 0 when it is the prefix of the one before with the
// declared part of the key, else 2s+1 for a prefix s, 2s+2 for the whole.
func (e *encoder) encodeNames() []byte {
	var name, qname, lang, typ column
	prefix, lastLang := uint64(0), uint64(0)
	for i := range e.c.Nodes {
		n := &e.c.Nodes[i]
		d := declared(n.Key)
		if n.Name == lastName(d) {
			name.uint(0)
		} else {
			name.uint(1 + e.strings.id(n.Name))
		}
		if p, ok := qnamePrefix(n.QName, d); !ok {
			qname.uint(2*e.strings.id(n.QName) + 2)
		} else if id := e.strings.id(p); id == prefix {
			qname.uint(0)
		} else {
			qname.uint(2*id + 1)
			prefix = id
		}
		l := e.strings.id(n.Lang)
		lang.int(int64(l) - int64(lastLang))
		lastLang = l
		typ.uint(e.strings.id(n.Signature.Type))
	}
	return joinColumns(&name, &qname, &lang, &typ)
}

// qnamePrefix returns what stands before the declared part of the key in a
// qualified name.
func qnamePrefix(qname, declared string) (prefix string, ok bool) {
	n := len(qname) - len(declared)
	if n < 0 || qname[n:] != declared {
		return "", false
	}
	return qname[:n], true
}

// decodeNames restores what encodeNames wrote, and the keys and paths.
func (d *decoder) decodeNames(content []byte) error {
	var name, qname, lang, typ cursor
	if err := splitColumns(content, &name, &qname, &lang, &typ); err != nil {
		return err
	}
	joined := make([]byte, 0, d.counts.qnameBytes)
	limit := int(d.counts.qnameBytes)
	ends := make([]uint32, len(d.nodes))
	prefix, lastLang := "", int32(0)
	ok := true
	str := func(id uint64) string {
		s, found := d.str(id)
		ok = ok && found
		return s
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		n.Key = d.keys.at(i)
		decl := declared(n.Key)
		if c := name.uint(); c == 0 {
			n.Name = lastName(decl)
		} else {
			n.Name = str(c - 1)
		}
		c := qname.uint()
		if c%2 == 1 {
			prefix = str(c / 2)
		}
		if c > 0 && c%2 == 0 {
			n.QName = str(c/2 - 1)
		} else if prefix == "" {
			n.QName = decl
		} else {
			if len(joined)+len(prefix)+len(decl) > limit {
				return errRange
			}
			joined = append(append(joined, prefix...), decl...)
		}
		ends[i] = uint32(len(joined))
		lastLang = lang.delta(lastLang)
		n.Lang = str(uint64(lastLang))
		n.Signature.Type = str(typ.uint())
		p, found := d.path(d.nodeFiles[i])
		n.File = p
		ok = ok && found
	}
	if !ok {
		return errRange
	}
	if len(joined) != limit {
		return errTrailing
	}
	text, lo := string(joined), uint32(0)
	for i, hi := range ends {
		if hi > lo {
			d.nodes[i].QName = text[lo:hi]
		}
		lo = hi
	}
	return finish(&name, &qname, &lang, &typ)
}
