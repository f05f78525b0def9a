"""Writes the descriptors of the enterprise beans into a directory META-INF: the same beans for WildFly
and GlassFish, each with its own rules.

    descriptors.py META-INF
"""

import sys
from pathlib import Path

# What the reference of a bean says, and whom the container lets in: what the transport must have, whether
# a password is required, whether others may be acted for, the roles, and the attribute of transactions.
NONE, TLS, MUTUAL = ("NONE", "NONE"), ("REQUIRED", "NONE"), ("REQUIRED", "REQUIRED")
BEANS = [
    ("Open", NONE, False, "NONE", None, "NotSupported"),
    ("Password", NONE, True, "NONE", "teller", "NotSupported"),
    ("Asserted", NONE, False, "SUPPORTED", None, "NotSupported"),
    ("Protected", TLS, True, "SUPPORTED", "teller", "NotSupported"),
    ("Certified", MUTUAL, False, "SUPPORTED", None, "NotSupported"),
    ("Mandatory", NONE, False, "NONE", None, "Mandatory"),
    ("Required", NONE, False, "NONE", None, "Required"),
    ("RequiresNew", NONE, False, "NONE", None, "RequiresNew"),
    ("Supports", NONE, False, "NONE", None, "Supports"),
    ("Never", NONE, False, "NONE", None, "Never"),
]
JAKARTA = 'xmlns="https://jakarta.ee/xml/ns/jakartaee"'
ROLE = "<security-role><role-name>teller</role-name></security-role>"


def method(name):
    return f"<method><ejb-name>{name}</ejb-name><method-name>*</method-name></method>"


def ejb_jar():
    yield f'<ejb-jar {JAKARTA} version="4.0"><module-name>peer</module-name><enterprise-beans>'
    for name, *_ in BEANS:
        yield f"""<session><ejb-name>{name}</ejb-name>
            <home>peer.AccountHome</home><remote>peer.Account</remote>
            <ejb-class>peer.AccountBean</ejb-class><session-type>Stateless</session-type>
            <transaction-type>Container</transaction-type></session>"""
    yield f"</enterprise-beans><assembly-descriptor>{ROLE}"
    for name, _, _, _, role, _ in BEANS:
        who = f"<role-name>{role}</role-name>" if role else "<unchecked/>"
        yield f"<method-permission>{who}{method(name)}</method-permission>"
    for name, *_, transaction in BEANS:
        home = f"""<method><ejb-name>{name}</ejb-name><method-intf>Remote</method-intf>
            <method-name>*</method-name></method>"""
        yield f"<container-transaction>{home}<trans-attribute>{transaction}</trans-attribute></container-transaction>"
    yield "</assembly-descriptor></ejb-jar>"


def wildfly():
    yield f"""<jboss:ejb-jar xmlns:jboss="urn:jboss:jakartaee:1.0" {JAKARTA} xmlns:iiop="urn:iiop"
        xmlns:s="urn:security:2.0" version="4.0" impl-version="4.0"><assembly-descriptor>
        <s:security><ejb-name>*</ejb-name><s:security-domain>other</s:security-domain></s:security>"""
    for name, (protected, certified), password, propagation, _, _ in BEANS:
        protected = protected if protected == "REQUIRED" else "SUPPORTED"
        certified = certified if certified == "REQUIRED" else "SUPPORTED"
        yield f"""<iiop:iiop><ejb-name>{name}</ejb-name><iiop:binding-name>peer/{name}</iiop:binding-name>
            <iiop:ior-security-config>
            <iiop:transport-config integrity="{protected}" confidentiality="{protected}"
              establish-trust-in-client="{certified}" establish-trust-in-target="SUPPORTED"/>
            <iiop:as-context auth-method="USERNAME_PASSWORD" realm="default" required="{str(password).lower()}"/>
            <iiop:sas-context caller-propagation="{propagation}"/>
            </iiop:ior-security-config></iiop:iiop>"""
    yield "</assembly-descriptor></jboss:ejb-jar>"


def glassfish():
    yield """<!DOCTYPE glassfish-ejb-jar PUBLIC "-//GlassFish.org//DTD GlassFish Application Server 3.1 EJB 3.1//EN"
        "http://glassfish.org/dtds/glassfish-ejb-jar_3_1-1.dtd"><glassfish-ejb-jar>
        <security-role-mapping><role-name>teller</role-name><group-name>tellers</group-name>
        </security-role-mapping><enterprise-beans>"""
    for name, (protected, certified), password, propagation, _, _ in BEANS:
        protected = protected if protected == "REQUIRED" else "SUPPORTED"
        certified = certified if certified == "REQUIRED" else "SUPPORTED"
        yield f"""<ejb><ejb-name>{name}</ejb-name><jndi-name>{name}</jndi-name><ior-security-config>
            <transport-config><integrity>{protected}</integrity><confidentiality>{protected}</confidentiality>
            <establish-trust-in-target>SUPPORTED</establish-trust-in-target>
            <establish-trust-in-client>{certified}</establish-trust-in-client></transport-config>
            <as-context><auth-method>USERNAME_PASSWORD</auth-method><realm>default</realm>
            <required>{str(password).lower()}</required></as-context>
            <sas-context><caller-propagation>{propagation}</caller-propagation></sas-context>
            </ior-security-config></ejb>"""
    yield "</enterprise-beans></glassfish-ejb-jar>"


directory = Path(sys.argv[1])
directory.mkdir(parents=True, exist_ok=True)
files = {"ejb-jar.xml": ejb_jar, "jboss-ejb3.xml": wildfly, "glassfish-ejb-jar.xml": glassfish}
for name, lines in files.items():
    (directory / name).write_text("\n".join(lines()) + "\n")
